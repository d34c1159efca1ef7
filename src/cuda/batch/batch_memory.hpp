// What a batch takes of a device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/batch/state_layout.hpp"
#include "cuda/batch/tile_plan.hpp"
#include "quartic/batch.hpp"

namespace quartic::cuda {

/// State and parameters of the bodies, and coefficients of their models.
/// @param has_strain_form, chambers of each group
template <class T>
[[nodiscard]] std::size_t bytes_of_bodies(StateLayout layout, const std::vector<GroupRange>& groups,
                                          const std::vector<bool>& has_strain_form, const std::vector<int>& chambers);

/// What steps take besides, at most.
template <class T>
[[nodiscard]] std::size_t bytes_of_steps(const std::vector<GroupRange>& groups, const TilePlan& plan,
                                         const BatchOptions& options);

/// Of the current device. @throws InputError that names what is free, unless there are so many bytes
void require_batch_memory(std::size_t bytes, std::int64_t bodies);

}  // namespace quartic::cuda
