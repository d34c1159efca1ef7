#include "core/symmetry/pure_parity.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

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

// Mixed fields that have to do with each other, by P = U^T M S U: none with those of other sets.
std::vector<std::vector<Index>> mixed_sets(const MatrixXd& parity, std::span<const std::uint8_t> classes) {
  constexpr double apart = 1e-7;
  std::vector<std::vector<Index>> sets;
  std::vector<bool> done(classes.size());
  for (std::size_t start = 0; start < classes.size(); ++start) {
    const auto is_mixed = [&](Index i) { return 1 - std::abs(parity(i, i)) > pure_within; };
    if (done[start] || !is_mixed(static_cast<Index>(start))) continue;
    std::vector<Index>& set = sets.emplace_back(1, static_cast<Index>(start));
    done[start] = true;
    for (std::size_t n = 0; n < set.size(); ++n)
      for (std::size_t i = 0; i < classes.size(); ++i)
        if (!done[i] && classes[i] == classes[start] && is_mixed(static_cast<Index>(i)) &&
            std::abs(parity(static_cast<Index>(i), set[n])) > apart) {
          done[i] = true;
          set.push_back(static_cast<Index>(i));
        }
    std::ranges::sort(set);
  }
  return sets;
}

// The order of eigenvectors in which each is the most like the field that it takes the place of.
std::vector<Index> nearest_places(const MatrixXd& vectors) {
  MatrixXd likeness = vectors.cwiseAbs();
  std::vector<Index> order(static_cast<std::size_t>(vectors.cols()));
  for (Index n = 0; n < vectors.cols(); ++n) {
    Index place = 0, vector = 0;
    likeness.maxCoeff(&place, &vector);
    order[static_cast<std::size_t>(place)] = vector;
    likeness.row(place).setConstant(-1);
    likeness.col(vector).setConstant(-1);
  }
  return order;
}

// Turns fields by the eigenvectors of their parity.
void turn(std::span<const Index> mixed, Matrix& fields, Matrix& images, MatrixXd& parity) {
  const dense::Eigenpairs pairs = dense::symmetric_eigen(parity(mixed, mixed));
  const std::vector<Index> order = nearest_places(pairs.vectors);
  const MatrixXd vectors = pairs.vectors(Eigen::all, order);
  for (Matrix* of : {&fields, &images}) {
    const MatrixXd before = of->map()(Eigen::all, mixed);
    of->map()(Eigen::all, mixed) = before * vectors;
  }
  for (std::size_t n = 0; n < mixed.size(); ++n) parity(mixed[n], mixed[n]) = pairs.values[order[n]];
}

// Of half a pair, which is any mixture of two parities.
bool odd_part_is_softer(const Matrix& fields, const Matrix& images, Index i, double parity,
                        const StaticEnergy& energy) {
  const Eigen::VectorXd even = fields.map().col(i) + images.map().col(i),
                        odd = fields.map().col(i) - images.map().col(i);
  const auto quotient = [&](const Eigen::VectorXd& part, double norm) { return energy(part) / norm; };
  return quotient(odd, 1 - parity) < quotient(even, 1 + parity);
}

// In one mirror. Fields of different classes in earlier ones stay apart.
void make_pure_in(const Mirror& mirror, std::uint8_t bit, const SparseMatrix& mass, const StaticEnergy& energy,
                  Matrix& fields, std::span<std::uint8_t> parities) {
  constexpr double half_a_pair = 0.99;
  Matrix images = mirrored(mirror, fields.map());
  MatrixXd parity = blas::multiply_transposed(fields.map(), sparse_times(mass, images.map()));
  parity = (0.5 * (parity + parity.transpose())).eval();
  for (const std::vector<Index>& set : mixed_sets(parity, parities)) turn(set, fields, images, parity);
  for (Index i = 0; i < parity.cols(); ++i) {
    const double own = parity(i, i);
    const bool odd = std::abs(own) > half_a_pair ? own < 0 : odd_part_is_softer(fields, images, i, own, energy);
    const double sign = odd ? -1 : 1, norm = std::sqrt((1 + sign * own) / 2);
    fields.map().col(i) = 0.5 / norm * (fields.map().col(i) + sign * images.map().col(i));
    if (odd) parities[static_cast<std::size_t>(i)] |= bit;
  }
}

// Entries of the quartic and of the cubic tensor, in their order.
template <class Use>
void for_each_entry(const QuarticEnergy& energy, const Use& use) {
  const auto n = static_cast<std::size_t>(energy.rank) + 1;
  std::size_t at = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = b; c < n; ++c)
        for (std::size_t d = c; d < n; ++d) use(at++, std::array{a, b, c, d});
}
template <class Use>
void for_each_entry(const EnclosedVolume& volume, const Use& use) {
  const auto n = static_cast<std::size_t>(volume.rank) + 1;
  std::size_t at = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = b; c < n; ++c) use(at++, std::array{a, b, c});
}

// The largest entries by degree, those that a parity forbids apart.
struct LargestEntries {
  std::array<double, 5> allowed = {}, forbidden = {};

  // What is large in a degree where nothing is allowed is what neighbours would make of it.
  [[nodiscard]] double share() const {
    double worst = 0;
    for (std::size_t degree = 0; degree < 5; ++degree) {
      if (forbidden[degree] == 0) continue;
      double large = std::max(allowed[degree], forbidden[degree] * std::numeric_limits<double>::min());
      if (degree > 0 && degree < 4) large = std::max(large, std::sqrt(allowed[degree - 1] * allowed[degree + 1]));
      worst = std::max(worst, forbidden[degree] / large);
    }
    return worst;
  }
};

// Of one parity. `Tensor` is an energy or a volume.
template <class Tensor>
double set_zeros_of(Tensor& tensor, const Parities& parities, int parity, std::span<const double> scale) {
  std::vector<double> unit(scale.size() + 1, 1.0);  // of static energy
  for (std::size_t i = 1; i < unit.size(); ++i) unit[i] = 1 / std::sqrt(scale[i - 1]);
  const auto is_forbidden = [&](const auto& indices) {
    int sum = 0;
    for (const std::size_t i : indices) sum ^= parities.of[i] >> parity;
    return (sum & 1) != 0;
  };
  LargestEntries largest;
  for_each_entry(tensor, [&](std::size_t at, const auto& indices) {
    double size = std::abs(tensor.coefficients[at]);
    for (const std::size_t i : indices) size *= unit[i];
    const auto degree = static_cast<std::size_t>(std::ranges::count_if(indices, [](std::size_t i) { return i > 0; }));
    double& most = (is_forbidden(indices) ? largest.forbidden : largest.allowed)[degree];
    most = std::max(most, size);
  });
  const double share = largest.share();
  if (share <= entry_round_off)
    for_each_entry(tensor, [&](std::size_t at, const auto& indices) {
      if (is_forbidden(indices)) tensor.coefficients[at] = 0;
    });
  return share;
}

template <class Tensor>
double set_all_zeros(Tensor& tensor, const Parities& parities, std::span<const double> scale) {
  double worst = 0;
  for (int m = 0; m < parities.count; ++m) worst = std::max(worst, set_zeros_of(tensor, parities, m, scale));
  return worst;
}

}  // namespace

Parities make_pure(Matrix& fields, const SparseMatrix& mass, const StaticEnergy& energy,
                   std::span<const Mirror> mirrors) {
  Parities parities{.count = static_cast<int>(mirrors.size()),
                    .of = std::vector<std::uint8_t>(static_cast<std::size_t>(fields.cols) + 1)};
  for (std::size_t m = 0; m < mirrors.size(); ++m)
    make_pure_in(mirrors[m], static_cast<std::uint8_t>(1 << m), mass, energy, fields,
                 std::span(parities.of).subspan(1));
  fix_signs(fields);
  return parities;
}

void make_pure(Matrix& unit_acceleration, const Parities& parities, std::span<const Mirror> mirrors) {
  for (std::size_t m = 0; m < mirrors.size(); ++m) {
    const Eigen::Map<const Eigen::RowVector3d> normal(mirrors[m].plane.normal.data());
    for (Index i = 0; i < unit_acceleration.rows; ++i) {
      const Eigen::RowVector3d row = unit_acceleration.map().row(i), across = row.dot(normal) * normal;
      const bool odd = ((parities.of[static_cast<std::size_t>(i) + 1] >> m) & 1) != 0;
      unit_acceleration.map().row(i) = odd ? across : row - across;
    }
  }
}

double set_zeros(QuarticEnergy& energy, const Parities& parities, std::span<const double> scale) {
  return set_all_zeros(energy, parities, scale);
}

double set_zeros(EnclosedVolume& volume, const Parities& parities, std::span<const double> scale) {
  return set_all_zeros(volume, parities, scale);
}

std::vector<double> rest_stiffness(const QuarticEnergy& energy) {
  std::vector<double> diagonal;
  for (std::size_t i = 1; i <= static_cast<std::size_t>(energy.rank); ++i)
    diagonal.push_back(coefficient(energy, 0, 0, i, i));
  return diagonal;
}

}  // namespace quartic
