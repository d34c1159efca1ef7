// A mesh in device memory, as kernels get it.
#pragma once

#include <cstdint>

namespace quartic::cuda {

struct RuleView {
  int points;
  const double* weights;    // [point]
  const double* values;     // of the shape functions, [point][corner]
  const double* gradients;  // of them by reference coordinates, [point][corner][3]
};

/// The elements of one type.
struct BlockView {
  const double* positions;       // of the mesh' vertices, [vertex][3]
  const std::int32_t* vertices;  // [element][corner]
  const std::int32_t* region;    // [element]
  int corners;
};

}  // namespace quartic::cuda
