// How far states of a relaxed model can be trusted: the share of their energy that more displacements would take away,
// and whether they are beyond the states that the model was relaxed for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

/// The relaxable share at natural states of the unrelaxed energy, by amplitude.
struct NaturalTrust {
  static constexpr std::array<double, 4> amplitudes = {0.1, 0.2, 0.4, 0.8};  ///< of the largest extent
  std::array<double, 4> median_share = {};
};
[[nodiscard]] NaturalTrust natural_trust(const ReducedModel& model);

/// Of a motion, body by body.
struct MotionTrust {
  std::vector<double> largest_share;       ///< relaxable share of all frames
  std::vector<double> largest_energy;      ///< 1/2 q^T K q of all frames [J]
  std::vector<std::int64_t> beyond_reach;  ///< bodies whose energy was above it in a frame
  double reach = 0;                        ///< [J]
};
/// Cost O(frames bodies r^4).
[[nodiscard]] MotionTrust motion_trust(const ReducedModel& model, const Trajectory& trajectory);

}  // namespace quartic::cli
