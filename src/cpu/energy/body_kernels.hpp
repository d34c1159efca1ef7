// Coefficients and kernels for one body at a time, as fast as one can be: the matrix between pair monomials is
// symmetric, so that half of it is read, and vectors run along its rows.
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

namespace quartic::cpu {

/// Rows of the coefficient matrix that are worked on together.
inline constexpr std::int64_t symmetric_row_block = 4;

/// S_(ab)(cd) in T, the lower half, with the constant as the last of the coordinates, x = (q, 1), and pairs in the
/// order (0,0), (1,0), (1,1), (2,0), ... Behind them come each chamber's, (p,0), ..., (p,r) with its pressure p as one
/// more coordinate: their rows are H_ip, their columns what it adds to H. Four rows lie beside each other, vector by
/// vector, up to the diagonal, which is halved because it is met twice. Where coordinates have parities, pairs are in
/// classes, each with a matrix of its own, since there are but zeros between classes.
template <class T>
struct SymmetricCoefficients {
  using System = BodySystem<T>;

  struct Class {
    std::int64_t first_place = 0, pairs = 0, first_value = 0;
  };

  int rank = 0;
  int chambers = 0;
  std::int64_t places = 0;  // (r+1)(r+2)/2, and r + 1 per chamber; each class up to whole blocks and vectors
  std::vector<Class> classes;
  std::vector<std::int32_t> place;  // of each pair in the order above; empty if there is one class
  AlignedArray<T> values;

  /// @throws InputError if a coefficient is too large for T
  explicit SymmetricCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes = {})
      : SymmetricCoefficients(energy, volumes, parities(energy, volumes)) {}
  /// @param by parities that the energy has, or none
  SymmetricCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes, const Parities& by);

  [[nodiscard]] std::int64_t array_rows() const { return System::array_rows(rank); }
  [[nodiscard]] std::int64_t stiffness_rows() const { return System::stiffness_rows(rank); }
  [[nodiscard]] std::int64_t h_rows() const { return stiffness_rows() + (1 + chambers) * array_rows(); }
  [[nodiscard]] std::int64_t workspace_rows() const {
    return array_rows() + 2 * (places + 2 * (vector_length<T> + symmetric_row_block));
  }

  /// Those for this machine's instruction set.
  [[nodiscard]] static const EvaluatorKernels<T, SymmetricCoefficients>& kernels();
};

}  // namespace quartic::cpu
