// What each region contributes to the reduced mass and to the moments.
#pragma once

#include <array>
#include <cstdint>

#include "quartic/frame_moments.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"

namespace quartic {

/// A region's share of the reduced mass, at density 1.
struct RegionMass {
  Matrix mass;               // U^T M U [m^3/kg], shape (r, r)
  Matrix unit_acceleration;  // U^T M times the unit fields, shape (r, 3)
  FrameMoments moments;      // with these unit accelerations
};

/// From the model's mesh, basis and kind of mass matrix. Cost O(elements of the region + n r^2).
/// @param origin of the moments
[[nodiscard]] RegionMass region_mass(const ReducedModel& model, std::int32_t region,
                                     const std::array<double, 3>& origin);

/// The unit accelerations of `region_mass` alone.
[[nodiscard]] Matrix unit_acceleration_of_region(const ReducedModel& model, std::int32_t region);

}  // namespace quartic
