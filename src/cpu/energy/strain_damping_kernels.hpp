// Coefficients and kernels for damping by strain rates, D(q) / tau, a matrix of quadratic polynomials.
#pragma once

#include <cstdint>

#include "core/base/aligned_array.hpp"
#include "core/energy/strain_damping.hpp"
#include "cpu/energy/system.hpp"
#include "cpu/energy/tile_kernels.hpp"

namespace quartic::cpu {

/// In the layout of `System`: D is its upper triangle in pair order, a row per entry.
template <class System>
class StrainDampingCoefficients;

/// Of a tile of bodies, one per lane: a product with the tile's monomials, as K's.
template <class T>
class StrainDampingCoefficients<LaneSystem<T>> {
 public:
  /// @throws InputError if a coefficient is too large for T
  explicit StrainDampingCoefficients(const StrainDampingForm& form) : packed_(form.rank, form.coefficients) {}

  [[nodiscard]] int rank() const { return packed_.rank; }
  [[nodiscard]] static std::int64_t rows(std::int64_t rank) {
    return (rank * (rank + 1) / 2 + row_block - 1) / row_block * row_block;
  }
  [[nodiscard]] static std::int64_t workspace_rows(std::int64_t rank) { return (rank + 1) * (rank + 2) / 2; }
  void evaluate(const T* q, T* workspace, T* d) const {
    PackedCoefficients<T>::kernels().evaluate(packed_, q, nullptr, workspace, d);
  }

 private:
  PackedCoefficients<T> packed_;
};

/// Of one body, vectors along D's entries.
template <class T>
class StrainDampingCoefficients<BodySystem<T>> {
 public:
  /// @throws as above
  explicit StrainDampingCoefficients(const StrainDampingForm& form);

  [[nodiscard]] int rank() const { return rank_; }
  /// Up to a whole block.
  [[nodiscard]] static std::int64_t rows(std::int64_t rank) {
    return (rank * (rank + 1) / 2 + block - 1) / block * block;
  }
  [[nodiscard]] static std::int64_t workspace_rows(std::int64_t rank) { return (rank + 1) * (rank + 2) / 2; }
  void evaluate(const T* q, T* workspace, T* d) const;

  /// Entries that are summed together: four cache lines.
  static constexpr std::int64_t block = 4 * std::int64_t{lanes<T>};

 private:
  int rank_;
  AlignedArray<T> values_;  // blocks of entries, [monomial][entry] within one
};

}  // namespace quartic::cpu
