#include "core/energy/strain_form.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/energy/elastic_energy.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// q_1, ..., q_r, q_1 q_1, q_1 q_2, ..., q_r q_r.
std::vector<double> monomials(std::span<const double> q) {
  std::vector<double> m(q.begin(), q.end());
  for (std::size_t i = 0; i < q.size(); ++i)
    for (std::size_t j = i; j < q.size(); ++j) m.push_back(q[i] * q[j]);
  return m;
}

// y = L m.
std::vector<double> strains_at(const StrainForm& form, std::span<const double> m) {
  std::vector<double> y(m.size());
  const double* entry = form.factor.data();
  for (std::size_t n = 0; n < m.size(); ++n)
    for (std::size_t p = n; p < m.size(); ++p) y[n] += *entry++ * m[p];
  return y;
}

double half_square(std::span<const double> y) {
  double sum = 0;
  for (const double value : y) sum += 0.5 * value * value;
  return sum;
}

// A row of L as the gradient g and the constant Hessian H of the strain y = b . q + 1/2 q^T H q.
void differentiate(const double* row, std::span<const double> q, std::vector<double>& g, Matrix& h) {
  const std::size_t r = q.size();
  std::copy_n(row, r, g.begin());
  const double* entry = row + r;
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t j = i; j < r; ++j) {
      const double value = *entry++;
      h(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) = (i == j ? 2 : 1) * value;
      h(static_cast<std::int64_t>(j), static_cast<std::int64_t>(i)) = (i == j ? 2 : 1) * value;
      g[i] += value * q[j];
      g[j] += value * q[i];
    }
}

// use(n, g, H) of each row n of L.
template <class Use>
void for_each_strain(const StrainForm& form, std::span<const double> q, const Use& use) {
  const auto count = static_cast<std::size_t>(strain_count(form.rank));
  std::vector<double> row(count), g(q.size());
  Matrix h(form.rank, form.rank);
  const double* entry = form.factor.data();
  for (std::size_t n = 0; n < count; ++n) {
    std::copy_n(entry, count - n, row.begin() + static_cast<std::ptrdiff_t>(n));
    if (n > 0) row[n - 1] = 0;
    entry += count - n;
    differentiate(row.data(), q, g, h);
    use(n, g, h);
  }
}

void check(const StrainForm& form, std::span<const double> q) {
  quartic::check(form);
  if (std::ssize(q) != form.rank)
    throw InputError("q has " + std::to_string(q.size()) + " entries, but the strain form's rank is " +
                     std::to_string(form.rank));
}

}  // namespace

void check(const StrainForm& form) {
  if (form.rank < 1 || form.rank > rank_limit)
    throw InputError("the rank of a strain form must be 1 .. " + std::to_string(rank_limit) + ", not " +
                     std::to_string(form.rank));
  const std::int64_t strains = strain_count(form.rank), size = strains * (strains + 1) / 2;
  if (std::ssize(form.factor) != size)
    throw InputError("the factor of a strain form of rank " + std::to_string(form.rank) + " has " +
                     std::to_string(size) + " numbers, not " + std::to_string(form.factor.size()));
  if (!std::all_of(form.factor.begin(), form.factor.end(), [](double value) { return std::isfinite(value); }))
    throw InputError("a strain form has a number that isn't finite");
}

void check_strain_form(const QuarticEnergy& energy, const StrainForm& form) {
  check(form);
  if (form.rank != energy.rank)
    throw InputError("the strain form is of rank " + std::to_string(form.rank) + ", but the energy of rank " +
                     std::to_string(energy.rank));
  // At points of many sizes: where linear and quadratic strains balance depends on the size and mass of the body.
  for (const double size : {1e8, 1e6, 1e4, 1e2, 1.0, 1e-2, 1e-4, 1e-6, 1e-8}) {
    std::vector<double> point = {1};
    for (int i = 0; i < form.rank; ++i) point.push_back(size * std::cos(i + 1.0));
    const double expected =
        elastic_energy(energy.coefficients.data(), point.size(), [&](std::size_t a) { return point[a]; });
    const double given = half_square(strains_at(form, monomials(std::span(point).subspan(1))));
    // Far above rounding, far below what another material or basis changes.
    if (std::abs(given - expected) <= 1e-6 * std::abs(expected)) continue;
    throw InputError("the strain form isn't of this energy: at one point they are " + std::to_string(given) +
                     " J and " + std::to_string(expected) +
                     " J; were both reduced from the same mesh, materials and basis?");
  }
}

ReducedForces evaluate(const StrainForm& form, std::span<const double> q) {
  check(form, q);
  const std::vector<double> y = strains_at(form, monomials(q));
  const std::int64_t r = form.rank;
  ReducedForces result{.energy = half_square(y), .force = std::vector<double>(q.size()), .stiffness = Matrix(r, r)};
  for_each_strain(form, q, [&](std::size_t n, const std::vector<double>& g, const Matrix& h) {
    for (std::int64_t i = 0; i < r; ++i) {
      const double gi = g[static_cast<std::size_t>(i)];
      result.force[static_cast<std::size_t>(i)] += y[n] * gi;
      for (std::int64_t j = 0; j < r; ++j)
        result.stiffness(i, j) += gi * g[static_cast<std::size_t>(j)] + y[n] * h(i, j);
    }
  });
  return result;
}

Matrix products_of_derivatives(const StrainForm& form, std::span<const double> q) {
  check(form, q);
  Matrix result(form.rank, form.rank);
  for_each_strain(form, q, [&](std::size_t /*n*/, const std::vector<double>& g, const Matrix& /*h*/) {
    for (std::int64_t i = 0; i < form.rank; ++i)
      for (std::int64_t j = 0; j < form.rank; ++j)
        result(i, j) += g[static_cast<std::size_t>(i)] * g[static_cast<std::size_t>(j)];
  });
  return result;
}

}  // namespace quartic
