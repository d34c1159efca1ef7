#include "core/elements/jacobian_sign.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elements/vectors.hpp"

namespace quartic {
namespace {

using Vector = std::array<double, 3>;

constexpr double sharpness = 1e-12;        // of the largest det J
constexpr double round_off = 1e-13;        // of det J, relative to the product of its columns' lengths
constexpr std::size_t most_controls = 18;  // of a column: degrees 1, 2, 2

// A reference element as a product of simplices: their numbers of vertices, and the simplex of each coordinate.
struct ReferenceShape {
  std::vector<std::size_t> simplices;
  std::array<std::size_t, 3> simplex_of;
  std::vector<Vector> vertices;  // of the simplices; a point of the element is a sum of one point of each
};

ReferenceShape reference_shape(ElementType type) {
  if (type == ElementType::tet4 || type == ElementType::tet10)
    return {{4}, {0, 0, 0}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  if (is_wedge(type)) return {{3, 2}, {0, 0, 1}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
  return {{2, 2, 2}, {0, 1, 2}, {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
}

Vector reference_point(const std::vector<Vector>& vertices, const Barycentric& at) {
  Vector xi{};
  for (std::size_t i = 0; i < vertices.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) xi[c] += at[i] * vertices[i][c];
  return xi;
}

// Along its own simplex, a derivative is of one degree less than the positions.
std::vector<std::size_t> degrees_of_column(const ReferenceShape& shape, ElementType type, std::size_t d) {
  std::vector<std::size_t> degrees(shape.simplices.size(), is_quadratic(type) ? 2 : 1);
  --degrees[shape.simplex_of[d]];
  return degrees;
}

BernsteinBasis basis_of_column(ElementType type, std::size_t d) {
  const ReferenceShape shape = reference_shape(type);
  return {shape.simplices, degrees_of_column(shape, type, d)};
}

}  // namespace

struct JacobianSign::Element {
  std::array<std::array<Vector, most_controls>, 3> controls;
  std::array<std::size_t, 3> counts{};
  double noise = 0;  // what det J may be wrong by

  [[nodiscard]] std::span<const Vector> column(std::size_t d) const { return {controls[d].data(), counts[d]}; }
};

JacobianSign::JacobianSign(const ElementTable& table)
    : table_(&table),
      cross_basis_(product_basis(basis_of_column(table.type, 1), basis_of_column(table.type, 2))),
      basis_(product_basis(basis_of_column(table.type, 0), cross_basis_)) {
  const ReferenceShape shape = reference_shape(table.type);
  simplices_ = shape.simplices;
  simplex_vertices_ = shape.vertices;
  for (std::size_t d = 0; d < 3; ++d) columns_.push_back(column(d, degrees_of_column(shape, table.type, d)));
  cross_terms_ = product_terms(columns_[1].basis, columns_[2].basis, cross_basis_);
  dot_terms_ = product_terms(columns_[0].basis, cross_basis_, basis_);
}

// Interpolates the shape functions' derivatives, whose coefficients are multiples of a power of two: exact.
JacobianSign::Column JacobianSign::column(std::size_t d, const std::vector<std::size_t>& degrees) const {
  Column column{BernsteinBasis(simplices_, degrees), {}};
  const auto n = static_cast<std::size_t>(table_->vertex_count);
  std::vector<std::vector<double>> values(n, std::vector<double>(column.basis.size()));  // by vertex
  std::vector<Vector> gradients(n);
  for (std::size_t f = 0; f < column.basis.size(); ++f) {
    table_->shape_gradient(reference_point(simplex_vertices_, column.basis.domain_point(f)),
                           reinterpret_cast<double(*)[3]>(gradients.data()));
    for (std::size_t v = 0; v < n; ++v) values[v][f] = gradients[v][d];
  }
  column.rows.resize(column.basis.size());
  for (std::size_t v = 0; v < n; ++v) {
    interpolate(column.basis, values[v]);
    for (std::size_t f = 0; f < column.basis.size(); ++f)
      if (values[v][f] != 0) column.rows[f].push_back({static_cast<std::uint16_t>(v), values[v][f]});
  }
  return column;
}

// In units of the element's size, so that nothing overflows; relative to its first vertex, so that a mesh far from the
// origin loses no digits. Nothing if positions aren't finite, or all at one place.
std::optional<JacobianSign::Element> JacobianSign::prepare(std::span<const Vector> x, double coordinate_error) const {
  std::array<Vector, 20> scaled{};
  double size = 0;
  bool finite = true;
  for (std::size_t v = 0; v < x.size(); ++v)
    for (std::size_t c = 0; c < 3; ++c) {
      scaled[v][c] = x[v][c] - x[0][c];
      finite = finite && std::isfinite(scaled[v][c]);
      size = std::max(size, std::abs(scaled[v][c]));
    }
  if (!finite || size == 0) return std::nullopt;
  const int exponent = -std::ilogb(size);  // a power of two: no rounding
  for (Vector& position : scaled)
    for (double& coordinate : position) coordinate = std::ldexp(coordinate, exponent);
  std::optional<Element> element(std::in_place);
  double product = 1, shortest = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < 3; ++d) {
    double longest = 0;
    element->counts[d] = columns_[d].rows.size();
    for (std::size_t f = 0; f < element->counts[d]; ++f) {
      Vector& control = element->controls[d][f];
      control = {};
      for (const auto& [vertex, value] : columns_[d].rows[f])
        for (std::size_t c = 0; c < 3; ++c) control[c] += value * scaled[vertex][c];
      longest = std::max(longest, length(control));
    }
    product *= longest;
    shortest = std::min(shortest, longest);
  }
  if (product == 0) return std::nullopt;
  element->noise = (round_off + 16 * std::ldexp(coordinate_error, exponent) / shortest) * product;
  return element;
}

std::vector<double> JacobianSign::determinant(const Element& element) const {
  std::vector<Vector> crossed(cross_basis_.size(), Vector{});
  for (const ProductTerm& term : cross_terms_) {
    const Vector product = cross(element.controls[1][term.left], element.controls[2][term.right]);
    for (std::size_t c = 0; c < 3; ++c) crossed[term.result][c] += term.weight * product[c];
  }
  std::vector<double> determinant(basis_.size(), 0.0);
  for (const ProductTerm& term : dot_terms_)
    determinant[term.result] += term.weight * dot(element.controls[0][term.left], crossed[term.right]);
  return determinant;
}

namespace {

// The determinant of the mean Jacobian A if that bounds the sign everywhere, else 0. J = A (I + E), and I + E can't be
// singular where |E| < 1; by then |det (I + E)| >= (1 - |E|)^3. The bound on |E| is the sum of its columns' squares.
double mean_determinant(const std::array<std::span<const Vector>, 3>& columns) {
  std::array<Vector, 3> mean{};
  for (std::size_t d = 0; d < 3; ++d)
    for (const Vector& control : columns[d])
      for (std::size_t c = 0; c < 3; ++c) mean[d][c] += control[c] / static_cast<double>(columns[d].size());
  const std::array<Vector, 3> cofactors = {cross(mean[1], mean[2]), cross(mean[2], mean[0]), cross(mean[0], mean[1])};
  const double determinant = dot(mean[0], cofactors[0]);
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    double largest = 0;
    for (const Vector& control : columns[d]) {
      const Vector change = {control[0] - mean[d][0], control[1] - mean[d][1], control[2] - mean[d][2]};
      double square = 0;
      for (const Vector& cofactor : cofactors) {
        const double component = dot(cofactor, change) / determinant;
        square += component * component;
      }
      largest = std::max(largest, square);
      if (!(square < 1)) return 0;  // also if the determinant is zero
    }
    sum += largest;
  }
  constexpr double bound = 0.81;
  return sum < bound ? determinant : 0;
}

}  // namespace

ElementShape JacobianSign::shape(std::span<const Vector> x, double coordinate_error) const {
  const std::optional<Element> element = prepare(x, coordinate_error);
  if (!element) return ElementShape::degenerate;
  const double mean = mean_determinant({element->column(0), element->column(1), element->column(2)});
  constexpr double least_share = 1e-3;  // (1 - sqrt(0.81))^3
  if (least_share * std::abs(mean) > element->noise) return mean > 0 ? ElementShape::proper : ElementShape::inverted;

  std::vector<double> c = determinant(*element);
  const auto [least, largest] = std::minmax_element(c.begin(), c.end());
  const double zero = std::max(sharpness * std::max(-*least, *largest), element->noise);
  if (*least >= -zero) return *largest > zero ? ElementShape::proper : ElementShape::degenerate;
  if (*largest <= zero) return ElementShape::inverted;
  double volume = 0;  // the functions' integrals are equal
  for (const double coefficient : c) volume += coefficient;
  if (volume < 0)
    for (double& coefficient : c) coefficient = -coefficient;
  if (find_minimum(basis_, c, {.enough = -zero}).upper < -zero) return ElementShape::folded;
  return volume < 0 ? ElementShape::inverted : ElementShape::proper;
}

Fold JacobianSign::fold(std::span<const Vector> x) const {
  const std::optional<Element> element = prepare(x, 0);
  if (!element) return {};
  std::vector<double> c = determinant(*element);
  double volume = 0, size = 0;
  for (const double coefficient : c) {
    volume += coefficient;
    size = std::max(size, std::abs(coefficient));
  }
  const MinimumSearch search{
      .enough = std::numeric_limits<double>::infinity(), .compare_only = false, .gap = 1e-9 * size};
  const auto negate = [&c] {
    for (double& coefficient : c) coefficient = -coefficient;
  };
  if (volume < 0) negate();
  const BernsteinMinimum least = find_minimum(basis_, c, search);
  negate();
  const BernsteinMinimum most = find_minimum(basis_, c, search);
  return {least.upper / -most.upper, position(x, least.at)};
}

JacobianSign::Vector JacobianSign::position(std::span<const Vector> x, const Barycentric& at) const {
  std::array<double, 20> values{};
  table_->shape(reference_point(simplex_vertices_, at), values.data());
  Vector place{};
  for (std::size_t v = 0; v < x.size(); ++v)
    for (std::size_t c = 0; c < 3; ++c) place[c] += values[v] * x[v][c];
  return place;
}

}  // namespace quartic
