// Coefficients and kernels for a tile of bodies, one body per lane: values of a tile are stored as [row][lane].
// Everything a body gets depends on its own lane alone, by the same sequence of operations in every lane.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/energy/parity.hpp"
#include "cpu/energy/evaluator.hpp"
#include "cpu/energy/system.hpp"
#include "quartic/enclosed_volume.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/storage.hpp"

namespace quartic::cpu {

/// Rows of H that are computed together: as many accumulators as registers of 32 bytes allow.
inline constexpr int row_block = 6;

/// The coefficient matrix in T. Rows and monomials are in classes of equal parity, between which there are but zeros
/// that aren't stored: one class for most bodies. Each class has blocks of `row_block` rows, within a block
/// [monomial][row], zero rows at the end. Leaving out zeros changes no bit of a sum.
template <class T>
struct PackedCoefficients {
  using System = LaneSystem<T>;
  struct Class {
    std::int64_t blocks = 0, first_row = 0, monomials = 0, first_monomial = 0;
  };

  int rank = 0;
  int chambers = 0;
  std::int64_t monomials = 0;  // (r+1)(r+2)/2, and r + 1 per chamber
  std::int64_t rows = 0;       // K in pair order, H_i0, H_ip of each chamber, zero rows up to whole blocks
  std::vector<Class> classes;
  std::vector<std::int32_t> monomial_rows;  // where the workspace has each monomial, these in pair order
  std::vector<std::int32_t> result_rows;    // where H has each row, these class by class, shape (rows)
  AlignedArray<T> values;

  /// @throws InputError if a coefficient is too large for T
  explicit PackedCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes = {})
      : PackedCoefficients(energy, volumes, parities(energy, volumes)) {}
  /// @param by parities that the energy has, or none
  PackedCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes, const Parities& by);
  /// Of any polynomials of q^. @param matrix column by column as coefficient_matrix
  PackedCoefficients(int rank_of, const Matrix& matrix);

  [[nodiscard]] std::int64_t h_rows() const { return rows; }
  [[nodiscard]] std::int64_t stiffness_rows() const { return System::stiffness_rows(rank); }
  [[nodiscard]] std::int64_t workspace_rows() const { return monomials; }

  /// Those for this machine's instruction set.
  [[nodiscard]] static const EvaluatorKernels<T, PackedCoefficients>& kernels();

 private:
  void pack(const Matrix& matrix, std::span<const int> class_of_monomial, std::span<const int> class_of_row);
};

}  // namespace quartic::cpu
