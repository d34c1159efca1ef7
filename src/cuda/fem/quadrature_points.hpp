// Quadrature points one after the other, element by element, and what is known of each. Points are the innermost index
// everywhere: one per lane.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/fem/mesh_view.hpp"

namespace quartic::cuda {

/// Points `first .. first + count` of a block, counted through its elements, or through those in a list.
struct PointRange {
  BlockView block;
  RuleView rule;
  const std::int32_t* elements;  // numbers within the block; null for all of them
  std::int64_t first;
  int count;
  int pitch;  // of arrays of points, at least `count`

#ifdef __CUDACC__
  [[nodiscard]] __device__ std::int64_t element(int point) const {
    const std::int64_t place = (first + point) / rule.points;
    return elements == nullptr ? place : elements[place];
  }
  [[nodiscard]] __device__ int point_of_rule(int point) const {
    return static_cast<int>((first + point) % rule.points);
  }
#endif
};

/// Weights times |J| [m^3], [pitch], and gradients of the shape functions by rest position [1/m],
/// [3 corner + derivative][pitch]; zeros from `count` on.
struct PointGeometries {
  double* weight;
  double* gradient;
};
void measure_points(const PointRange& range, const PointGeometries& geometries, cudaStream_t stream);

/// A = sum over corners of u g^T at the points, for neighbouring columns of a matrix of fields (3n rows, no gaps):
/// [field][3 component + derivative][pitch]; zeros from `count` on.
void differentiate_fields(const PointRange& range, const PointGeometries& geometries, const double* fields,
                          std::int64_t rows, int field_count, double* gradients, cudaStream_t stream);

}  // namespace quartic::cuda
