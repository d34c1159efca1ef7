// Kernels of ForceHessian: the second derivative of the stress in the directions of two fields, and what it does to
// vertices.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/fem/incidence_view.hpp"
#include "cuda/fem/quadrature_points.hpp"

namespace quartic::cuda {

struct FieldPair {
  int first, second;
};

/// Of the second derivative: all of them, or those that are quadratic in gradients, the stress of the strains that are.
enum class StressTerms { all, quadratic };

/// A tile of whole elements, and the pairs that are looked at. Arrays of points have the range's pitch.
struct DerivativeTile {
  StressTerms terms;
  PointRange range;
  PointGeometries geometries;
  const double* gradients;  // of the fields, [field][9][pitch]
  const double* lambda;     // by region
  const double* mu;
  const FieldPair* pairs;
  int pair_count;
  int elements;
  double* stresses;  // w D, [pair][9][pitch]
  double* forces;    // [pair][element][corner][3]
};
void differentiate_stress(const DerivativeTile& tile, cudaStream_t stream);
void make_element_forces(const DerivativeTile& tile, cudaStream_t stream);

/// Where forces on degrees of freedom go: out[pair * stride + row].
struct ForceTarget {
  const std::int32_t* row_of_dof;  // negative for those that are left out; null: each in its own row
  double* out;
  std::int64_t stride;
};
/// Adds `factor` times the elements' forces to their vertices' rows, element after element: the order of a sum doesn't
/// depend on tiles.
void gather_forces(const DerivativeTile& tile, const IncidenceView& incidence, std::int64_t vertex_count, double factor,
                   const ForceTarget& target, cudaStream_t stream);

}  // namespace quartic::cuda
