#include "cuda/energy/tensor_image.hpp"

#include <cmath>
#include <limits>

#include "core/energy/quartic_polynomial.hpp"

namespace quartic::cuda {
namespace {

// Not quite a unit of TF32's last place below what float can hold, so that the rest has 11 bits, too.
constexpr double largest_tf32 = 0x1.ffcp127;

// The nearest number of 11 significant bits; towards zero where that would be infinite.
double rounded_to_tf32(double x) {
  if (x == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
  return std::abs(rounded) > largest_tf32 ? std::copysign(largest_tf32, x) : rounded;
}

// Two fragments of a lane, from its coefficients at (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4).
void pack(const double (&c)[4], Fragment<float>& upper, Fragment<float>& lower) {
  double high[4], low[4];
  for (int n = 0; n < 4; ++n) {
    high[n] = rounded_to_tf32(c[n]);
    low[n] = rounded_to_tf32(c[n] - high[n]);
  }
  const auto fragment = [](const double(&x)[4]) {
    return make_float4(static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]),
                       static_cast<float>(x[3]));
  };
  upper = fragment(high), lower = fragment(low);
}
void pack(const double (&c)[4], Fragment<double>& first, Fragment<double>& second) {
  first = make_double2(c[0], c[1]), second = make_double2(c[2], c[3]);
}

}  // namespace

std::vector<MonomialFactors> monomial_factors(int rank) {
  const std::vector<MonomialPair> pairs = monomial_pairs<float>(rank);
  const auto row = [](unsigned factor) { return factor * (tile_bodies / 2); };
  std::vector<MonomialFactors> factors;
  const auto steps = static_cast<std::size_t>(step_count(rank));
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t t = 0; t < tensor_depth / 2; ++t) {
      const MonomialPair first = pairs[step * tensor_depth + t];
      const MonomialPair second = pairs[step * tensor_depth + t + tensor_depth / 2];
      factors.push_back({row(first.first), row(first.second), row(second.first), row(second.second)});
    }
  return factors;
}

template <class T>
std::vector<Fragment<T>> tensor_fragments(const QuarticEnergy& energy) {
  const Matrix matrix = coefficient_matrix(energy);
  const std::vector<std::int64_t> columns = columns_of_rows(energy.rank);
  for (const double value : matrix.values) static_cast<void>(rounded_coefficient<T>(value));
  const auto entry = [&](int row, int monomial) {
    if (row >= static_cast<int>(columns.size()) || monomial >= matrix.rows) return 0.0;
    return matrix(monomial, columns[static_cast<std::size_t>(row)]);
  };
  std::vector<Fragment<T>> fragments(static_cast<std::size_t>(row_tile_count(energy.rank)) *
                                     static_cast<std::size_t>(step_count(energy.rank)) * step_fragments);
  Fragment<T>* next = fragments.data();
  for (int step = 0; step < step_count(energy.rank); ++step)
    for (int tile = 0; tile < row_tile_count(energy.rank); ++tile, next += step_fragments)
      for (int lane = 0; lane < warp_size; ++lane) {
        const int row = tile * tensor_rows + lane / 4, monomial = step * tensor_depth + lane % 4;
        const double own[4] = {entry(row, monomial), entry(row + 8, monomial), entry(row, monomial + 4),
                               entry(row + 8, monomial + 4)};
        pack(own, next[lane], next[warp_size + lane]);
      }
  return fragments;
}

template std::vector<Fragment<float>> tensor_fragments<float>(const QuarticEnergy&);
template std::vector<Fragment<double>> tensor_fragments<double>(const QuarticEnergy&);

}  // namespace quartic::cuda
