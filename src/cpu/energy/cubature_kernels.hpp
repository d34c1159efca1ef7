// Force and stiffness of tiles of bodies from the points of a cubature.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/energy/tile_kernels.hpp"
#include "quartic/cubature.hpp"

namespace quartic::cpu {

/// Points whose products are summed up together.
inline constexpr std::int64_t points_at_once = 4;

/// A cubature in T. H is K and behind it R, where other forms have H_i0.
template <class T>
struct CubatureCoefficients {
  using System = LaneSystem<T>;

  int rank = 0;
  int chambers = 0;
  std::int64_t columns = 0;  // the rank and zeros up to whole blocks of tile_columns
  std::int64_t count = 0;    // of points with a weight
  ControlVariate base = ControlVariate::none;
  LawTangent tangent = LawTangent::exact;
  AlignedArray<T> gradients;                      // shape (count, 9, columns)
  std::vector<T> scales;                          // w_p v_p
  std::vector<PointMaterial> materials;           // shape (count)
  AlignedArray<T> stiffness;                      // K(0) as a tile's, one number per row; of ControlVariate::stiffness
  std::vector<PackedCoefficients<T>> polynomial;  // of ControlVariate::stvk: one, or none

  /// @throws InputError if a number is too large for T
  explicit CubatureCoefficients(const Cubature& cubature);

  [[nodiscard]] std::int64_t stiffness_rows() const { return System::stiffness_rows(rank); }
  [[nodiscard]] std::int64_t h_rows() const {
    return polynomial.empty() ? stiffness_rows() + rank : polynomial.front().h_rows();
  }
  [[nodiscard]] std::int64_t workspace_rows() const {
    const std::int64_t products = 9 * points_at_once * columns + rank;
    return polynomial.empty() ? products : std::max(products, polynomial.front().workspace_rows());
  }

  /// Those for this machine's instruction set.
  [[nodiscard]] static const EvaluatorKernels<T, CubatureCoefficients>& kernels();
};

/// Rows and columns of K that are summed up in registers.
inline constexpr std::int64_t tile_columns = 4;

}  // namespace quartic::cpu
