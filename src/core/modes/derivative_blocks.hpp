// Modal derivatives block by block: right-hand sides on the factor's backend, one factorisation for all.
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <span>

#include "core/fem/prepared_mesh.hpp"
#include "core/modes/elastic_system.hpp"

namespace quartic {

using Pairs = std::span<const std::array<int, 2>>;

/// A column per pair, shape (3n, pairs), by solving for blocks of -(H : Psi_i) Psi_j.
/// @param solve (block, pairs that its columns are of) overwrites a block on the free degrees of freedom
[[nodiscard]] Matrix derivatives_by_blocks(const PreparedMesh& mesh, const ElasticSystem::Impl& system,
                                           const MatrixRef& modes, Pairs pairs, const Progress& progress,
                                           const std::function<void(Eigen::MatrixXd& block, Pairs pairs)>& solve);

}  // namespace quartic
