// The relaxed energy, and how much of an energy can be relaxed.
#include "quartic/relaxation.hpp"

#include <algorithm>
#include <string>

#include "core/algebra/blas.hpp"
#include "core/energy/elastic_energy.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/energy/symmetric_tensor.hpp"
#include "core/relaxation/relaxation_check.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// The energy plus `factor` times 1/2 |t m|^2, of which only the quartic terms know.
QuarticEnergy with_quartic_part(QuarticEnergy energy, const Relaxation& relaxation, double factor) {
  const auto r = static_cast<std::size_t>(energy.rank);
  MatrixXd t = relaxation.products.map();
  // Strains of the full sum 1/2 B_ij q_i q_j.
  for (Index i = 0, pair = 0; i < energy.rank; pair += energy.rank - i, ++i) t.col(pair) *= 2;
  MatrixXd gram = MatrixXd::Zero(t.cols(), t.cols());
  blas::rank_k_update_transposed(t, gram);
  const auto entry = [&](std::size_t row, std::size_t column) {  // pairs with the constant come first
    return gram(static_cast<Index>(row - r), static_cast<Index>(column - r));
  };
  auto coefficient = energy.coefficients.begin() + static_cast<std::ptrdiff_t>(sorted_index(1, 1, 1, 1, r));
  for (std::size_t a = 1; a <= r; ++a)
    for (std::size_t b = a; b <= r; ++b)
      for (std::size_t c = b; c <= r; ++c)
        for (std::size_t d = c; d <= r; ++d) *coefficient++ += factor * symmetric_entry(entry, a, b, c, d, r);
  return energy;
}

// 1/2 |t m|^2 with the monomials m of q.
double relaxable_energy(const Relaxation& relaxation, std::span<const double> q) {
  Eigen::VectorXd m(relaxation.products.cols);
  Index pair = 0;
  for (std::size_t i = 0; i < q.size(); ++i)
    for (std::size_t j = i; j < q.size(); ++j) m[pair++] = q[i] * q[j];
  return 0.5 * (relaxation.products.map() * m).squaredNorm();
}

void require_coordinates(const QuarticEnergy& energy, std::span<const double> q) {
  check(energy);
  if (std::ssize(q) != energy.rank)
    throw InputError("q has " + std::to_string(q.size()) + " entries, but the energy's rank is " +
                     std::to_string(energy.rank));
}

}  // namespace

QuarticEnergy relaxed(const QuarticEnergy& energy, const Relaxation& relaxation) {
  check(energy);
  check(relaxation, energy.rank);
  return relaxation.share == 0 ? energy : with_quartic_part(energy, relaxation, -relaxation.share);
}

QuarticEnergy unrelaxed(const QuarticEnergy& relaxed_energy, const Relaxation& relaxation) {
  check(relaxed_energy);
  check(relaxation, relaxed_energy.rank);
  return relaxation.share == 0 ? relaxed_energy : with_quartic_part(relaxed_energy, relaxation, relaxation.share);
}

double relaxable_share(const QuarticEnergy& relaxed_energy, const Relaxation& relaxation, std::span<const double> q) {
  require_coordinates(relaxed_energy, q);
  check(relaxation, relaxed_energy.rank);
  const double relaxable = relaxable_energy(relaxation, q);
  const double energy = elastic_energy(relaxed_energy.coefficients.data(), q.size() + 1,
                                       [&](std::size_t a) { return a == 0 ? 1 : q[a - 1]; });
  const double whole = energy + relaxation.share * relaxable;
  return whole > 0 ? std::min(relaxable / whole, 1.0) : 0;
}

double linear_energy(const QuarticEnergy& energy, std::span<const double> q) {
  require_coordinates(energy, q);
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i)
    for (std::size_t j = 0; j < q.size(); ++j) sum += 0.5 * coefficient(energy, 0, 0, i + 1, j + 1) * q[i] * q[j];
  return 0.5 * sum;
}

StateTrust state_trust(const QuarticEnergy& relaxed_energy, const Relaxation& relaxation, std::span<const double> q) {
  StateTrust trust{.relaxable_share = relaxable_share(relaxed_energy, relaxation, q),
                   .linear_energy = linear_energy(relaxed_energy, q)};
  trust.beyond_reach = trust.linear_energy > relaxation.reach;
  return trust;
}

}  // namespace quartic
