// Coefficients and kernels for a tile of bodies, one body per lane: values of a tile are stored as [row][lane].
// Everything a body gets depends on its own lane alone, by the same sequence of operations in every lane.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/aligned_array.hpp"
#include "cpu/energy/evaluator.hpp"
#include "cpu/energy/system.hpp"
#include "quartic/enclosed_volume.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/storage.hpp"

namespace quartic::cpu {

/// Rows of H that are computed together: as many accumulators as registers of 32 bytes allow.
inline constexpr int row_block = 6;

/// The coefficient matrix in T, blocks of `row_block` rows, within a block [monomial][row], zero rows at the end.
template <class T>
struct PackedCoefficients {
  using System = LaneSystem<T>;

  int rank = 0;
  int chambers = 0;
  std::int64_t monomials = 0;  // (r+1)(r+2)/2, and r + 1 per chamber
  std::int64_t rows = 0;       // K in pair order, H_i0, H_ip of each chamber, zero rows up to a whole block
  AlignedArray<T> values;

  /// @throws InputError if a coefficient is too large for T
  explicit PackedCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes = {});
  /// Of any polynomials of q^ and pressures. @param matrix column by column as coefficient_matrix
  PackedCoefficients(int rank_of, const Matrix& matrix, int chamber_count = 0);

  [[nodiscard]] std::int64_t h_rows() const { return rows; }
  [[nodiscard]] std::int64_t stiffness_rows() const { return System::stiffness_rows(rank); }
  [[nodiscard]] std::int64_t workspace_rows() const { return monomials; }

  /// Those for this machine's instruction set.
  [[nodiscard]] static const EvaluatorKernels<T, PackedCoefficients>& kernels();
};

}  // namespace quartic::cpu
