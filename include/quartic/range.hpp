// The range of a reduced model: whether a body's displacements still mean something for its mesh and its material.
//
// With the deformation gradient F = I + du/dX, which is linear in q, a body is out of range where
//   det F <= 0: an element is turned inside out (`BodyFlags::inverted`), or where
//   a principal stretch is outside of 1/sqrt(3) .. sqrt(3) (`BodyFlags::strained`): compressed below 1/sqrt(3) of its
//   length a bar of the StVK material resists less and less, until it collapses; and sqrt(3) is a strain of 1, which
//   the material, meant for small strains, takes with an ever growing stiffness.
// Both are looked at in a few points of elements, those that get there first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/body_flags.hpp"
#include "quartic/export.hpp"

namespace quartic {

struct ReducedModel;

/// Points of a model's elements, and the gradients of its basis fields there.
struct ModelRange {
  int rank = 0;  ///< r >= 1; 0 for none
  /// Of field i at point p, du_a / dX_b = gradients[(9 p + 3 a + b) r + i] [1/(m sqrt(kg))], shape (points, 3, 3, r)
  std::vector<double> gradients = {};
  std::vector<std::int64_t> elements = {};  ///< that each point is a corner of, shape (points)

  [[nodiscard]] std::int64_t points() const { return static_cast<std::int64_t>(elements.size()); }
};

struct RangeOptions {
  int points = 32;       ///< at most, >= 1; fewer where these find all that was tried
  int directions = 256;  ///< states that the points are chosen by, >= 1
};

/// Chooses the points. Bodies are loaded along `directions` straight ways, until the first corner of an element is
/// turned inside out and until the first is strained too much: responses at rest to uniform accelerations and to random
/// forces, and random states of equal energy in all modes. Of all such corners those are taken, one after the other,
/// that find most of the ways' ends within 5 % of the load. The same on every run and with any number of threads. Cost
/// O(directions (n r + corners)), a second for 250,000 tetrahedra on two processors.
///
/// A sampled corner is a corner of an element: what has `inverted` has an inverted element (inverted_elements,
/// statics.hpp). The other way round it is a sample: docs/math.md says how much of what is inverted it finds.
/// @throws InputError for a model without basis and energy, or options out of range
[[nodiscard]] QUARTIC_EXPORT ModelRange model_range(const ReducedModel& model, const RangeOptions& options = {});

/// The flags `inverted` and `strained` of one body, in double: the reference for Batch::check_range.
/// @param q reduced coordinates, shape (r)
/// @throws InputError if q doesn't have r entries or the range's sizes are wrong
[[nodiscard]] QUARTIC_EXPORT BodyFlags range_flags(const ModelRange& range, std::span<const double> q);

}  // namespace quartic
