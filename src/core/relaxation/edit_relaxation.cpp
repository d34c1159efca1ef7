// The relaxation of other materials and of other coordinates.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/relaxation/combined_products.hpp"
#include "core/relaxation/following_products.hpp"
#include "core/relaxation/relaxation_check.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// The rank whose pairs the products have.
std::int64_t rank_of(const Relaxation& relaxation) {
  const auto rank = static_cast<std::int64_t>(std::sqrt(2 * static_cast<double>(relaxation.products.cols)));
  check(relaxation, rank);
  return rank;
}

// Calls change(matrix) for all that has a column per pair.
template <class Change>
Relaxation change_pairs(const Relaxation& relaxation, const Change& change) {
  Relaxation result = relaxation;
  result.products = change(relaxation.products);
  for (RegionRelaxation& region : result.regions)
    for (StrainProducts* part : {&region.lambda_part, &region.mu_part}) part->forces = change(part->forces);
  return result;
}

// Rows of coefficients of q_i q_j become those of q' in q = T q'.
Matrix transform_pairs(const Matrix& rows, const MatrixRef& transform) {
  const Index r = transform.rows(), s = transform.cols();
  Matrix result(rows.rows, pair_count(s));
  MatrixXd form(r, r);  // symmetric: the row is q^T form q
  for (Index row = 0; row < rows.rows; ++row) {
    for (Index i = 0, pair = 0; i < r; ++i)
      for (Index j = i; j < r; ++j, ++pair) form(i, j) = form(j, i) = (i == j ? 1 : 0.5) * rows(row, pair);
    const MatrixXd there = transform.transpose() * form * transform;
    for (Index i = 0, pair = 0; i < s; ++i)
      for (Index j = i; j < s; ++j, ++pair) result(row, pair) = (i == j ? 1 : 2) * there(i, j);
  }
  return result;
}

Matrix keep_pairs(const Matrix& rows, std::span<const int> kept, std::int64_t rank) {
  Matrix result(rows.rows, pair_count(std::ssize(kept)));
  std::int64_t pair = 0;
  for (std::size_t i = 0; i < kept.size(); ++i)
    for (std::size_t j = i; j < kept.size(); ++j, ++pair) {
      const std::int64_t a = std::min(kept[i], kept[j]), b = std::max(kept[i], kept[j]);
      std::ranges::copy(rows.col(a * (2 * rank - a - 1) / 2 + b), result.col(pair).begin());
    }
  return result;
}

struct Stiffening {
  double least = std::numeric_limits<double>::infinity(), most = 0;
};

// By what factors the eigenvalues 3 lambda + 2 mu and 2 mu of the regions' elasticity change.
Stiffening stiffening(std::span<const Material> before, std::span<const Material> after) {
  Stiffening result;
  for (std::size_t g = 0; g < before.size(); ++g)
    for (const double factor :
         {lame_mu(after[g]) / lame_mu(before[g]), (3 * lame_lambda(after[g]) + 2 * lame_mu(after[g])) /
                                                      (3 * lame_lambda(before[g]) + 2 * lame_mu(before[g]))}) {
      result.least = std::min(result.least, factor);
      result.most = std::max(result.most, factor);
    }
  return result;
}

}  // namespace

Relaxation transform_relaxation(const Relaxation& relaxation, MatrixRef transform) {
  const std::int64_t rank = rank_of(relaxation);
  if (transform.rows() != rank || transform.cols() < 1 || !transform.allFinite())
    throw InputError("the transform of a relaxation of rank " + std::to_string(rank) +
                     " must have as many rows, a column or more, and finite entries");
  return change_pairs(relaxation, [&](const Matrix& rows) { return transform_pairs(rows, transform); });
}

Relaxation keep_coordinates(const Relaxation& relaxation, std::span<const int> kept) {
  const std::int64_t rank = rank_of(relaxation);
  for (const int i : kept)
    if (i < 0 || i >= rank)
      throw InputError("coordinate " + std::to_string(i) + " is to be kept, but there are only 0 .. " +
                       std::to_string(rank - 1));
  if (kept.empty()) throw InputError("no coordinate is kept: name at least one");
  return change_pairs(relaxation, [&](const Matrix& rows) { return keep_pairs(rows, kept, rank); });
}

std::optional<Relaxation> edit_relaxation(const Relaxation& relaxation, std::span<const Material> before,
                                          std::span<const Material> after) {
  if (before.empty() || before.size() != after.size() ||
      (!relaxation.regions.empty() && relaxation.regions.size() != before.size()))
    throw InputError("an edit of a relaxation needs a material per region, before and after");
  constexpr double rounding = 1e-14;
  const Stiffening factor = stiffening(before, after);
  Relaxation result = relaxation;
  result.reach *= factor.least;
  if (factor.most - factor.least <= rounding * factor.most) {
    if (factor.least != 1) result.products.map() *= std::sqrt(factor.least);
    return result;
  }
  if (relaxation.regions.empty()) return std::nullopt;
  result.calibration.clear();  // of other materials
  RegionConstants constants;
  for (const Material& material : after)
    constants.push_back(ElasticConstants{.lambda = lame_lambda(material), .mu = lame_mu(material)});
  const StrainProducts products = combined_products(relaxation.regions, constants);
  result.products = following_products(products, products.stiffness.rows - relaxation.field_count());
  if (result.products.rows != relaxation.products.rows)
    throw NumericalError("fields that follow lose their stiffness with these materials");
  return result;
}

}  // namespace quartic
