// Bodies of several shapes, and the loads that bend them far.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace quartic::measure {

struct Shape {
  const char* name;
  std::function<ProceduralMesh()> make;
};
/// Slender, thin and compact ones.
[[nodiscard]] std::vector<Shape> shapes_that_bend();

struct BentBody {
  ReducedModel model;
  BodyGroup group;
  double length = 0;  // the longest extent [m]
};
[[nodiscard]] BentBody reduced(const ProceduralMesh& shape);

[[nodiscard]] double largest(std::span<const double> values);
[[nodiscard]] std::vector<double> displacement(const BentBody& body, const std::vector<double>& q);

/// Coordinates under an acceleration of the whole body along z where it comes to rest: long steps of backward Euler,
/// which damps everything.
template <class T>
[[nodiscard]] std::vector<double> at_rest(const BentBody& body, double acceleration, Evaluation evaluation);

/// In motion: from the straight shape over half a period of the first mode.
template <class T>
[[nodiscard]] std::vector<double> in_motion(const BentBody& body, double acceleration, Evaluation evaluation);

/// The acceleration that bends the body by 0.3 of its length.
[[nodiscard]] double bending_acceleration(const BentBody& body);

}  // namespace quartic::measure
