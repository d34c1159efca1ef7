// What a group's coordinates have beside their force model: a constant damping, one by strain rates, and a motion that
// is given.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "core/base/aligned_array.hpp"
#include "core/energy/strain_damping.hpp"
#include "cpu/energy/strain_damping_kernels.hpp"
#include "cpu/energy/system.hpp"
#include "quartic/storage.hpp"

namespace quartic::cpu {

template <class System>
struct CoordinateTerms {
  using T = typename System::Number;

  CoordinateTerms(const Matrix& damping_matrix, const SharedStrainDamping& strain_rates, int driven_count)
      : damping(damping_matrix.rows * damping_matrix.cols), driven(driven_count) {
    for (std::int64_t i = 0; i < damping_matrix.rows; ++i)
      for (std::int64_t j = 0; j < damping_matrix.cols; ++j)
        damping.data()[i * damping_matrix.cols + j] = static_cast<T>(damping_matrix(i, j));
    has_damping = damping_matrix.rows > 0;
    if (strain_rates != nullptr) strain_damping.emplace(*strain_rates);
  }

  AlignedArray<T> damping;  // D, shape (r, r)
  bool has_damping = false;
  std::optional<StrainDampingCoefficients<System>> strain_damping;
  int driven = 0;  // of the last coordinates
};

/// Where K_ij is in the layout of a system, i <= j.
template <class System>
[[nodiscard]] constexpr std::int64_t entry_row(std::int64_t rank, std::int64_t i, std::int64_t j) {
  if constexpr (std::is_same_v<System, BodySystem<typename System::Number>>)
    return System::diagonal_row(rank, j) - (j - i);  // in the row of the lower triangle
  else
    return System::diagonal_row(rank, i) + (j - i);
}

}  // namespace quartic::cpu
