// Strains of quadrature points for all pairs of basis fields, the operand of the energy's Gram matrix, and linear ones
// of further fields. The six numbers of a pair are those of cpu/strains/strain_panel.hpp.
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
  int linear;               // fields after those of the rank, which have linear strains only
  int strains;              // six numbers per pair and point, or the trace alone
  int slice_points;         // points of a slice
  int points;               // of all slices, and the pitch of the arrays below
  const double* gradients;  // A_a of the fields q^_a, a = 0 .. rank, then the linear ones, [field][9][points]
  const double* scales;     // [3][points]
  double* result;           // [slice][column][strain][slice_points], a <= b in pair order but (0, 0), then linear ones

#ifdef __CUDACC__
  /// Where a point's first strain of a column is.
  [[nodiscard]] __device__ std::int64_t first_of(int point, int column) const {
    const std::int64_t columns = (rank + 1) * (rank + 2) / 2 - 1 + linear;
    return (point / slice_points * columns + column) * strains * slice_points + point % slice_points;
  }
#endif
};
void multiply_pairs(const StrainTile& tile, cudaStream_t stream);
void strain_linearly(const StrainTile& tile, cudaStream_t stream);

/// Adds `count` sums of products that follow each other, in their order; the result replaces the first.
void sum_slices(std::int64_t entries, int count, double* sums, cudaStream_t stream);

/// A = I for `points` points, the gradient that goes with q^_0 = 1: [9][points].
void fill_identity(int points, double* gradients, cudaStream_t stream);

}  // namespace quartic::cuda
