#include "cuda/energy/model_image.hpp"

#include <cstddef>
#include <iterator>

#include "core/energy/quartic_polynomial.hpp"

namespace quartic::cuda {

std::vector<std::int64_t> columns_of_rows(int rank) {
  const auto n = static_cast<std::size_t>(rank);
  std::vector<std::int64_t> columns;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) columns.push_back(static_cast<std::int64_t>(pair_index(j, i, n)));
  for (int i = 0; i < rank; ++i) columns.push_back(stiffness_rows(rank) + i);
  return columns;
}

template <class T>
std::vector<T> packed_columns(const Matrix& matrix, std::span<const std::int64_t> columns, int rank) {
  const std::int64_t blocks = (std::ssize(columns) + block_rows<T> - 1) / block_rows<T>;
  std::vector<T> packed(static_cast<std::size_t>(blocks * block_rows<T> * monomial_count<T>(rank)), T{0});
  for (std::size_t row = 0; row < columns.size(); ++row) {
    const auto block = static_cast<std::int64_t>(row) / block_rows<T>;
    T* to = packed.data() + block * monomial_count<T>(rank) * block_rows<T> + row % block_rows<T>;
    for (std::int64_t m = 0; m < matrix.rows; ++m)
      to[m * block_rows<T>] = rounded_coefficient<T>(matrix(m, columns[row]));
  }
  return packed;
}

template <class T>
std::vector<T> packed_coefficients(const QuarticEnergy& energy) {
  return packed_columns<T>(coefficient_matrix(energy), columns_of_rows(energy.rank), energy.rank);
}

template <class T>
std::vector<MonomialPair> monomial_pairs(int rank) {
  std::vector<MonomialPair> pairs;
  for (int c = 0; c <= rank; ++c)
    for (int d = c; d <= rank; ++d) pairs.push_back({static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(d)});
  pairs.resize(static_cast<std::size_t>(monomial_count<T>(rank)), {0, 0});
  return pairs;
}

template std::vector<float> packed_columns(const Matrix&, std::span<const std::int64_t>, int);
template std::vector<double> packed_columns(const Matrix&, std::span<const std::int64_t>, int);
template std::vector<float> packed_coefficients(const QuarticEnergy&);
template std::vector<double> packed_coefficients(const QuarticEnergy&);
template std::vector<MonomialPair> monomial_pairs<float>(int);
template std::vector<MonomialPair> monomial_pairs<double>(int);

}  // namespace quartic::cuda
