#include "cuda/model_image.hpp"

#include <cstddef>

#include "core/quartic_polynomial.hpp"

namespace quartic::cuda {

template <class T>
std::vector<T> packed_coefficients(const QuarticEnergy& energy) {
  const int rank = energy.rank;
  const auto n = static_cast<std::size_t>(rank);
  const Matrix matrix = coefficient_matrix(energy);
  std::vector<T> packed(static_cast<std::size_t>(coefficient_count<T>(rank)), T{0});
  const auto pack = [&](int row, std::int64_t column) {
    const std::int64_t block = row / block_rows<T>;
    T* to = packed.data() + block * monomial_count<T>(rank) * block_rows<T> + row % block_rows<T>;
    for (std::int64_t m = 0; m < matrix.rows; ++m) to[m * block_rows<T>] = rounded_coefficient<T>(matrix(m, column));
  };
  for (int i = 0; i < rank; ++i) {
    for (int j = 0; j <= i; ++j)
      pack(stiffness_row(i, j),
           static_cast<std::int64_t>(pair_index(static_cast<std::size_t>(j), static_cast<std::size_t>(i), n)));
    pack(stiffness_rows(rank) + i, stiffness_rows(rank) + i);
  }
  return packed;
}

template <class T>
std::vector<MonomialPair> monomial_pairs(int rank) {
  std::vector<MonomialPair> pairs;
  for (int c = 0; c <= rank; ++c)
    for (int d = c; d <= rank; ++d) pairs.push_back({static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(d)});
  pairs.resize(static_cast<std::size_t>(monomial_count<T>(rank)), {0, 0});
  return pairs;
}

template std::vector<float> packed_coefficients(const QuarticEnergy&);
template std::vector<double> packed_coefficients(const QuarticEnergy&);
template std::vector<MonomialPair> monomial_pairs<float>(int);
template std::vector<MonomialPair> monomial_pairs<double>(int);

}  // namespace quartic::cuda
