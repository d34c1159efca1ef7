// Models whose modes are made up, so that what they sound like is known.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "quartic/model.hpp"
#include "support/support.hpp"

namespace quartic::test {

/// A tetrahedron with a mode at each of these frequencies [Hz]; entries of modes are in [-1, 1].
inline ReducedModel ringing_model(const std::vector<double>& frequencies) {
  ReducedModel model;
  model.mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  model.mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3}}};
  for (const double f : frequencies) model.eigenvalues.push_back(std::pow(2 * std::numbers::pi * f, 2));
  model.linear_modes = Matrix(12, static_cast<std::int64_t>(frequencies.size()));
  model.linear_modes.values = random_numbers(model.linear_modes.values.size(), 17);
  return model;
}

}  // namespace quartic::test
