// What each region contributes to the reduced mass.
#pragma once

#include <cstdint>

#include "quartic/matrix.hpp"
#include "quartic/model.hpp"

namespace quartic {

/// A region's share of the reduced mass, at density 1.
struct RegionMass {
  Matrix mass;               // U^T M U [m^3/kg], shape (r, r)
  Matrix unit_acceleration;  // U^T M times the unit fields, shape (r, 3)
};

/// From the model's mesh, basis and kind of mass matrix. Cost O(elements of the region + n r^2).
[[nodiscard]] RegionMass region_mass(const ReducedModel& model, std::int32_t region);

}  // namespace quartic
