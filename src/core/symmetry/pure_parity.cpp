#include "core/symmetry/pure_parity.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/algebra/blas.hpp"
#include "core/algebra/dense.hpp"
#include "core/algebra/sparse_product.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "quartic/modes.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// A field of parity c = u . S u: 1 for even, -1 for odd. Its other part has the norm sqrt((1 - |c|) / 2), and what that
// does to orthonormality is its square.
constexpr double pure_within = 1e-13;

// Turns mixed fields of one class by the eigenvectors of their parity, P = U^T M S U.
void turn_mixed(std::span<const Index> mixed, Matrix& fields, Matrix& images, MatrixXd& parity) {
  const MatrixXd among = parity(mixed, mixed);
  const dense::Eigenpairs pairs = dense::symmetric_eigen(among);
  for (Matrix* of : {&fields, &images}) {
    const MatrixXd before = of->map()(Eigen::all, mixed);
    of->map()(Eigen::all, mixed) = before * pairs.vectors;
  }
  for (std::size_t n = 0; n < mixed.size(); ++n) parity(mixed[n], mixed[n]) = pairs.values[static_cast<Index>(n)];
}

// In one mirror. Fields of different classes in earlier ones stay apart.
void make_pure_in(const Mirror& mirror, std::uint8_t bit, const SparseMatrix& mass, Matrix& fields,
                  std::span<std::uint8_t> parities) {
  Matrix images = mirrored(mirror, fields.map());
  MatrixXd parity = blas::multiply_transposed(fields.map(), sparse_times(mass, images.map()));
  parity = (0.5 * (parity + parity.transpose())).eval();
  for (int earlier = 0; earlier < bit; ++earlier) {
    std::vector<Index> mixed;
    for (Index i = 0; i < parity.cols(); ++i)
      if (parities[static_cast<std::size_t>(i)] == earlier && 1 - std::abs(parity(i, i)) > pure_within)
        mixed.push_back(i);
    if (!mixed.empty()) turn_mixed(mixed, fields, images, parity);
  }
  for (Index i = 0; i < parity.cols(); ++i) {
    const double sign = parity(i, i) < 0 ? -1 : 1;
    const double norm = std::sqrt((1 + std::abs(parity(i, i))) / 2);
    fields.map().col(i) = 0.5 / norm * (fields.map().col(i) + sign * images.map().col(i));
    if (sign < 0) parities[static_cast<std::size_t>(i)] |= bit;
  }
}

template <class Use>
void for_each_entry(std::size_t n, const Use& use) {
  std::size_t at = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = b; c < n; ++c)
        for (std::size_t d = c; d < n; ++d) use(at++, std::array{a, b, c, d});
}

// Of one parity.
double set_zeros_of(QuarticEnergy& energy, const Parities& parities, int parity, std::span<const double> scale) {
  const auto n = static_cast<std::size_t>(energy.rank) + 1;
  std::vector<double> unit(n, 1.0);  // of static energy
  for (std::size_t i = 1; i < n; ++i) unit[i] = 1 / std::sqrt(scale[i - 1]);
  std::array<double, 5> largest = {}, forbidden = {};  // by degree
  const auto is_forbidden = [&](const std::array<std::size_t, 4>& i) {
    return (((parities.of_pair(i[0], i[1]) ^ parities.of_pair(i[2], i[3])) >> parity) & 1) != 0;
  };
  for_each_entry(n, [&](std::size_t at, const std::array<std::size_t, 4>& i) {
    const auto degree = static_cast<std::size_t>(4 - std::ranges::count(i, std::size_t{0}));
    const double size = std::abs(energy.coefficients[at]) * unit[i[0]] * unit[i[1]] * unit[i[2]] * unit[i[3]];
    double& most = is_forbidden(i) ? forbidden[degree] : largest[degree];
    most = std::max(most, size);
  });
  double worst = 0;
  for (std::size_t degree = 0; degree < 5; ++degree)
    if (forbidden[degree] > 0)
      worst = std::max(worst, forbidden[degree] / std::max(largest[degree], forbidden[degree]));
  if (worst <= entry_round_off)
    for_each_entry(n, [&](std::size_t at, const std::array<std::size_t, 4>& i) {
      if (is_forbidden(i)) energy.coefficients[at] = 0;
    });
  return worst;
}

}  // namespace

Parities make_pure(Matrix& fields, const SparseMatrix& mass, std::span<const Mirror> mirrors) {
  Parities parities{.count = static_cast<int>(mirrors.size()),
                    .of = std::vector<std::uint8_t>(static_cast<std::size_t>(fields.cols) + 1)};
  for (std::size_t m = 0; m < mirrors.size(); ++m)
    make_pure_in(mirrors[m], static_cast<std::uint8_t>(1 << m), mass, fields, std::span(parities.of).subspan(1));
  fix_signs(fields);
  return parities;
}

double set_zeros(QuarticEnergy& energy, const Parities& parities, std::span<const double> scale) {
  double worst = 0;
  for (int m = 0; m < parities.count; ++m) worst = std::max(worst, set_zeros_of(energy, parities, m, scale));
  return worst;
}

std::vector<double> rest_stiffness(const QuarticEnergy& energy) {
  std::vector<double> diagonal;
  for (std::size_t i = 1; i <= static_cast<std::size_t>(energy.rank); ++i)
    diagonal.push_back(coefficient(energy, 0, 0, i, i));
  return diagonal;
}

}  // namespace quartic
