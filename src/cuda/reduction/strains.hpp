// Strains of quadrature points for all pairs of basis fields, the operand of the energy's Gram matrix. The six numbers
// of a pair are those of cpu/strains/strain_panel.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/fem/quadrature_points.hpp"

namespace quartic::cuda {

/// Square roots of weights times elastic constants: of the trace, of differences and shear, of xx + yy - 2 zz.
/// @param lambda, mu by region
void scale_strains(const PointRange& range, const double* weight, const double* lambda, const double* mu,
                   double* scales, cudaStream_t stream);

/// A tile of points, cut in slices of equal size.
struct StrainTile {
  int rank;
  int strains;              // six numbers per pair and point, or the trace alone
  int slice_points;         // points of a slice
  int points;               // of all slices, and the pitch of the arrays below
  const double* gradients;  // A_a of the fields q^_a, a = 0 .. rank, [field][9][points]
  const double* scales;     // [3][points]
  double* result;           // [slice][pair][strain][slice_points], a <= b in pair order but (0, 0)
};
void multiply_pairs(const StrainTile& tile, cudaStream_t stream);

/// A = I for `points` points, the gradient that goes with q^_0 = 1: [9][points].
void fill_identity(int points, double* gradients, cudaStream_t stream);

}  // namespace quartic::cuda
