#include "core/energy/quartic_polynomial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/energy/enclosed_volume.hpp"
#include "quartic/error.hpp"

namespace quartic {
double coefficient(const QuarticEnergy& energy, std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
  std::array<std::size_t, 4> index = {a, b, c, d};
  const auto order = [&](std::size_t i, std::size_t j) {
    if (index[i] > index[j]) std::swap(index[i], index[j]);
  };
  order(0, 1), order(2, 3), order(0, 2), order(1, 3), order(1, 2);
  return energy
      .coefficients[sorted_index(index[0], index[1], index[2], index[3], static_cast<std::size_t>(energy.rank))];
}

void check(const QuarticEnergy& energy) {
  if (energy.rank == 0 && energy.coefficients.empty())
    throw InputError(
        "there is no quartic energy: a model whose forces come from a cubature has none; take its cubature, or reduce "
        "the mesh with the material law stvk");
  if (energy.rank < 1 || energy.rank > rank_limit)
    throw InputError("the rank of a quartic energy must be 1 .. " + std::to_string(rank_limit) + ", not " +
                     std::to_string(energy.rank));
  const auto count = quartic_coefficient_count(energy.rank);
  if (std::ssize(energy.coefficients) != count)
    throw InputError("a quartic energy of rank " + std::to_string(energy.rank) + " has " + std::to_string(count) +
                     " coefficients, not " + std::to_string(energy.coefficients.size()));
  for (std::size_t i = 0; i < energy.coefficients.size(); ++i)
    if (!std::isfinite(energy.coefficients[i]))
      throw InputError("coefficient " + std::to_string(i) + " of the quartic energy isn't a finite number");
}

ReducedForces evaluate(const QuarticEnergy& energy, std::span<const double> q) {
  check(energy);
  const auto r = static_cast<std::size_t>(energy.rank);
  if (q.size() != r)
    throw InputError("q has " + std::to_string(q.size()) + " entries, but the energy's rank is " + std::to_string(r));

  std::vector<double> x(r + 1, 1.0);  // q^ = (1, q)
  for (std::size_t i = 0; i < r; ++i) x[i + 1] = q[i];

  // H_ab = 1/2 sum over all c, d of S_abcd x_c x_d.
  Matrix h(energy.rank + 1, energy.rank + 1);
  const auto entry = [&](std::size_t a, std::size_t b) -> double& { return h.values[b * (r + 1) + a]; };
  for (std::size_t a = 0; a <= r; ++a)
    for (std::size_t b = a; b <= r; ++b) {
      double sum = 0;
      for (std::size_t c = 0; c <= r; ++c) {
        double row = 0.5 * coefficient(energy, a, b, c, c) * x[c];
        for (std::size_t d = c + 1; d <= r; ++d) row += coefficient(energy, a, b, c, d) * x[d];
        sum += row * x[c];
      }
      entry(a, b) = entry(b, a) = sum;
    }

  ReducedForces result;
  result.stiffness = Matrix(energy.rank, energy.rank);
  for (std::int64_t j = 0; j < energy.rank; ++j)
    for (std::int64_t i = 0; i < energy.rank; ++i) result.stiffness(i, j) = h(i + 1, j + 1);
  double twelve_energies = 0;
  for (std::size_t a = 0; a <= r; ++a) {
    double product = 0;  // (H x)_a = 3 dV/dx_a
    for (std::size_t b = 0; b <= r; ++b) product += entry(a, b) * x[b];
    twelve_energies += x[a] * product;
    if (a > 0) result.force.push_back(product / 3);
  }
  result.energy = twelve_energies / 12;
  return result;
}

Matrix coefficient_matrix(const QuarticEnergy& energy, bool with_energy_row) {
  check(energy);
  const auto r = static_cast<std::size_t>(energy.rank);
  const std::size_t monomials = (r + 1) * (r + 2) / 2;
  const std::size_t columns = r * (r + 1) / 2 + r + (with_energy_row ? 1 : 0);
  Matrix matrix(static_cast<std::int64_t>(monomials), static_cast<std::int64_t>(columns));
  double* next = matrix.values.data();
  const auto append_column = [&](std::size_t a, std::size_t b) {
    for (std::size_t c = 0; c <= r; ++c)
      for (std::size_t d = c; d <= r; ++d) *next++ = (c == d ? 0.5 : 1.0) * coefficient(energy, a, b, c, d);
  };
  for (std::size_t i = 1; i <= r; ++i)
    for (std::size_t j = i; j <= r; ++j) append_column(i, j);
  for (std::size_t i = 1; i <= r; ++i) append_column(0, i);
  if (with_energy_row) append_column(0, 0);
  return matrix;
}

Matrix coefficient_matrix(const QuarticEnergy& energy, std::span<const EnclosedVolume> chambers) {
  const Matrix elastic = coefficient_matrix(energy);
  if (chambers.empty()) return elastic;
  const auto r = static_cast<std::size_t>(energy.rank);
  const std::size_t count = chambers.size();
  Matrix matrix(elastic.rows + static_cast<std::int64_t>(count * (r + 1)),
                elastic.cols + static_cast<std::int64_t>(count * r));
  double* column = matrix.values.data();
  // H_ab at p_c q^_d: the tensor's entry is -T_abd, which p q^ meets twice and the half of H once.
  const auto put_pressures = [&](std::size_t a, std::size_t b) {
    double* next = column + elastic.rows;
    for (const EnclosedVolume& chamber : chambers)
      for (std::size_t d = 0; d <= r; ++d) *next++ = -coefficient(chamber, a, b, d);
    column += matrix.rows;
  };
  const auto put_elastic = [&](std::int64_t n) { std::ranges::copy(elastic.col(n), column); };
  std::int64_t n = 0;
  for (std::size_t i = 1; i <= r; ++i)
    for (std::size_t j = i; j <= r; ++j) put_elastic(n++), put_pressures(i, j);
  for (std::size_t i = 1; i <= r; ++i) put_elastic(n++), put_pressures(i, 0);
  for (const EnclosedVolume& chamber : chambers)
    for (std::size_t i = 1; i <= r; ++i, column += matrix.rows) {
      double* next = column;
      for (std::size_t c = 0; c <= r; ++c)
        for (std::size_t d = c; d <= r; ++d) *next++ = (c == d ? -0.5 : -1.0) * coefficient(chamber, i, c, d);
    }
  return matrix;
}

}  // namespace quartic
