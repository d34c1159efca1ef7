#include "cuda/energy/tensor_image.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/energy/quartic_polynomial.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

// Where bfloat16's nearest number is infinite.
constexpr double beyond_bfloat16 = 0x1.ffp127;

template <class T>
T tensor_coefficient(double value) {
  const T rounded = rounded_coefficient<T>(value);
  if (sizeof(T) == sizeof(float) && std::abs(double{rounded}) >= beyond_bfloat16)
    throw InputError("the energy has a coefficient at the end of float's range, " + std::to_string(value) +
                     ", which tensor cores can't hold; use Evaluation::strict or double");
  return rounded;
}

// The upper half of the nearest number that ends there, ties to even.
std::uint32_t bfloat16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

// A lane's fragments from its coefficients [monomial][row g, row g + 8].
void pack(const float (&c)[4][2], Fragment<float>* to) {
  float rest[4][2];
  std::copy_n(&c[0][0], 8, &rest[0][0]);
  for (int part = 0; part < tile_parts<float>; ++part) {
    std::uint32_t words[4];  // of the first two monomials for both rows, of the last two
    for (int n = 0; n < 4; ++n) {
      std::uint32_t halves[2];
      for (int k = 0; k < 2; ++k) {
        float& x = rest[n / 2 * 2 + k][n % 2];
        halves[k] = bfloat16_bits(x);
        x -= std::bit_cast<float>(halves[k] << 16);
      }
      words[n] = halves[0] | halves[1] << 16;
    }
    to[part * warp_size] = {words[0], words[1], words[2], words[3]};
  }
}
void pack(const double (&c)[2][2], Fragment<double>* to) {
  to[0] = make_double2(c[0][0], c[0][1]), to[warp_size] = make_double2(c[1][0], c[1][1]);
}

}  // namespace

template <class T>
std::vector<MonomialFactors<T>> monomial_factors(int rank) {
  const std::vector<MonomialPair> pairs = monomial_pairs<float>(rank);
  std::vector<MonomialFactors<T>> factors(static_cast<std::size_t>(step_count<T>(rank)) * 4);
  for (std::size_t n = 0; n < factors.size(); ++n)
    for (std::size_t k = 0; k < lane_monomials<T>; ++k)
      if (const std::size_t at = n / 4 * tensor_depth<T> + 4 * k + n % 4; at < pairs.size())
        factors[n].pairs[k] = pairs[at];
  return factors;
}

template <class T>
std::vector<Fragment<T>> tensor_fragments(const QuarticEnergy& energy) {
  const Matrix matrix = coefficient_matrix(energy);
  const std::vector<std::int64_t> columns = columns_of_rows(energy.rank);
  const auto entry = [&](int row, int monomial) {
    if (row >= static_cast<int>(columns.size()) || monomial >= matrix.rows) return T{0};
    return tensor_coefficient<T>(matrix(monomial, columns[static_cast<std::size_t>(row)]));
  };
  std::vector<Fragment<T>> fragments(static_cast<std::size_t>(row_tile_count(energy.rank)) *
                                     static_cast<std::size_t>(step_count<T>(energy.rank)) * tile_fragments<T>);
  Fragment<T>* next = fragments.data();
  for (int step = 0; step < step_count<T>(energy.rank); ++step)
    for (int tile = 0; tile < row_tile_count(energy.rank); ++tile, next += tile_fragments<T>)
      for (int lane = 0; lane < warp_size; ++lane) {
        T own[lane_monomials<T>][2];
        for (int k = 0; k < lane_monomials<T>; ++k)
          for (int half = 0; half < 2; ++half)
            own[k][half] = entry(tile * tensor_rows + lane / 4 + half * 8, step * tensor_depth<T> + 4 * k + lane % 4);
        pack(own, next + lane);
      }
  return fragments;
}

template std::vector<MonomialFactors<float>> monomial_factors<float>(int);
template std::vector<MonomialFactors<double>> monomial_factors<double>(int);
template std::vector<Fragment<float>> tensor_fragments<float>(const QuarticEnergy&);
template std::vector<Fragment<double>> tensor_fragments<double>(const QuarticEnergy&);

}  // namespace quartic::cuda
