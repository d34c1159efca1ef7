// Ten bodies, thin ones and compact ones, and loads on them that nothing was fitted to.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "quartic/procedural.hpp"

namespace quartic::bench {

struct TestedBody {
  std::string name;
  ProceduralMesh shape;
};

/// Beams of hex8 and tet4, a plate, a part of a cylinder, an L and a block of hex20, and the shapes of procedural.hpp
/// but coarser.
[[nodiscard]] std::vector<TestedBody> tested_bodies();

inline constexpr int test_amplitudes = 3;  ///< ascending, of each pattern

/// Seven patterns by these amplitudes: pulled at the tip, obliquely there, by gravity down and in any direction,
/// twisted, at two places, at a single vertex; with linear displacements of 0.1, 0.3 and 0.8 times the largest extent.
/// The same on every run.
/// @param mode the first one, which tells where the tip is, shape (3n) @return nodal forces [N], a column per load
[[nodiscard]] Eigen::MatrixXd test_loads(const ProceduralMesh& body, const Eigen::VectorXd& mode);

}  // namespace quartic::bench
