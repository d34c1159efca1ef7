#include "core/energy/enclosed_volume.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "core/energy/quartic_polynomial.hpp"
#include "quartic/error.hpp"

namespace quartic {

double coefficient(const EnclosedVolume& volume, std::size_t a, std::size_t b, std::size_t c) {
  if (a > b) std::swap(a, b);
  if (b > c) std::swap(b, c);
  if (a > b) std::swap(a, b);
  return volume.coefficients[triple_index(a, b, c, static_cast<std::size_t>(volume.rank) + 1)];
}

void check(const EnclosedVolume& volume) {
  if (volume.rank < 1 || volume.rank > rank_limit)
    throw InputError("the rank of an enclosed volume must be 1 .. " + std::to_string(rank_limit) + ", not " +
                     std::to_string(volume.rank));
  const auto count = cubic_coefficient_count(volume.rank);
  if (std::ssize(volume.coefficients) != count)
    throw InputError("an enclosed volume of rank " + std::to_string(volume.rank) + " has " + std::to_string(count) +
                     " coefficients, not " + std::to_string(volume.coefficients.size()));
  for (std::size_t i = 0; i < volume.coefficients.size(); ++i)
    if (!std::isfinite(volume.coefficients[i]))
      throw InputError("coefficient " + std::to_string(i) + " of the enclosed volume isn't a finite number");
}

double volume_at(const EnclosedVolume& volume, std::span<const double> q) {
  const std::size_t n = q.size() + 1;
  const auto x = [&](std::size_t a) { return a == 0 ? 1 : q[a - 1]; };
  const double* next = volume.coefficients.data();
  double sum_a = 0;
  for (std::size_t a = 0; a < n; ++a) {
    double sum_b = 0;
    for (std::size_t b = a; b < n; ++b) {
      const int equal = a == b ? 2 : 1;  // of c among (a, b): a triple of equal indices counts 1/6, a pair 1/2
      double sum_c = *next++ * x(b) / (equal + 1);
      for (std::size_t c = b + 1; c < n; ++c) sum_c += *next++ * x(c);
      sum_b += sum_c * x(b) / equal;
    }
    sum_a += sum_b * x(a);
  }
  return sum_a;
}

VolumeDerivatives evaluate(const EnclosedVolume& volume, std::span<const double> q) {
  check(volume);
  const auto r = static_cast<std::size_t>(volume.rank);
  if (q.size() != r)
    throw InputError("q has " + std::to_string(q.size()) + " entries, but the volume's rank is " + std::to_string(r));
  std::vector<double> x(r + 1, 1.0);  // q^ = (1, q)
  for (std::size_t i = 0; i < r; ++i) x[i + 1] = q[i];

  VolumeDerivatives result{.gradient = std::vector<double>(r), .hessian = Matrix(volume.rank, volume.rank)};
  double six_volumes = 0;
  for (std::size_t a = 0; a <= r; ++a) {
    double product = 0;  // (W x)_a = 2 dV/dx_a with W_ab = T_abc x_c
    for (std::size_t b = 0; b <= r; ++b) {
      double sum = 0;
      for (std::size_t c = 0; c <= r; ++c) sum += coefficient(volume, a, b, c) * x[c];
      product += sum * x[b];
      if (a > 0 && b > 0) result.hessian(static_cast<std::int64_t>(a) - 1, static_cast<std::int64_t>(b) - 1) = sum;
    }
    six_volumes += x[a] * product;
    if (a > 0) result.gradient[a - 1] = product / 2;
  }
  result.volume = six_volumes / 6;
  return result;
}

}  // namespace quartic
