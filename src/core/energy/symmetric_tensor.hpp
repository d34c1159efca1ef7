// Positions among the distinct entries of symmetric tensors, and the quartic tensor from products of strains. Without
// Eigen, for kernels too.
#pragma once

#include <cstddef>

#include "core/base/host_device.hpp"

namespace quartic {

/// Position of a pair `a <= b` in 0..n-1 among all of them, row by row: (0,0), (0,1), ..., (0,n-1), (1,1), ...
[[nodiscard]] QUARTIC_HD constexpr std::size_t pair_index(std::size_t a, std::size_t b, std::size_t n) {
  return a * (2 * n - a - 1) / 2 + b;
}

/// Position of `a <= b <= c` in 0..n-1 among all such triples in lexicographic order: those that start before a, then
/// pairs of what is from a on.
[[nodiscard]] QUARTIC_HD constexpr std::size_t triple_index(std::size_t a, std::size_t b, std::size_t c,
                                                            std::size_t n) {
  const auto choose_3 = [](std::size_t m) { return m * (m - 1) / 2 * (m - 2) / 3; };
  return choose_3(n + 2) - choose_3(n - a + 2) + pair_index(b - a, c - a, n - a);
}

/// Position of `a <= b <= c <= d` in 0..rank among all such quadruples in lexicographic order. The quadruples that
/// start at a or later number C(n - a + 3, 4) with n = rank + 1, and so on for the indices behind it.
[[nodiscard]] QUARTIC_HD constexpr std::size_t sorted_index(std::size_t a, std::size_t b, std::size_t c, std::size_t d,
                                                            std::size_t rank) {
  const auto choose_2 = [](std::size_t m) { return m * (m - 1) / 2; };
  const auto choose_3 = [](std::size_t m) { return m * (m - 1) / 2 * (m - 2) / 3; };
  const auto choose_4 = [](std::size_t m) { return m * (m - 1) / 2 * (m - 2) / 3 * (m - 3) / 4; };
  const std::size_t n = rank + 1;
  return choose_4(n + 3) - choose_4(n - a + 3) + choose_3(n - a + 2) - choose_3(n - b + 2) + choose_2(n - b + 1) -
         choose_2(n - c + 1) + d - c;
}

/// S_abcd = D_ab,cd + D_ac,bd + D_ad,bc, a <= b <= c <= d <= rank, where the energy is
/// 1/8 D_ab,cd q^_a q^_b q^_c q^_d: averaging D over the three ways to pair four indices.
/// @param gram D by pairs a <= b in pair order without (0, 0), for which D is zero: gram(row, column), row >= column
template <class Gram>
[[nodiscard]] QUARTIC_HD double symmetric_entry(const Gram& gram, std::size_t a, std::size_t b, std::size_t c,
                                                std::size_t d, std::size_t rank) {
  const auto product = [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    if (j == 0 || l == 0) return 0.0;  // pair (0, 0), which has no row
    const std::size_t first = pair_index(i, j, rank + 1) - 1, second = pair_index(k, l, rank + 1) - 1;
    return first > second ? gram(first, second) : gram(second, first);
  };
  return product(a, b, c, d) + product(a, c, b, d) + product(a, d, b, c);
}

}  // namespace quartic
