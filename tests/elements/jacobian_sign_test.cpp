// The sign of the Jacobian all over an element: closed forms, and dense sampling as the second method.
#include "core/elements/jacobian_sign.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elements/bernstein.hpp"
#include "core/elements/quadrature.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Point = std::array<double, 3>;

// ---- Bernstein form --------------------------------------------------------------------------------------------

// The polynomial by its definition.
double value(const BernsteinBasis& basis, const std::vector<double>& coefficients, const Barycentric& at) {
  double sum = 0;
  for (std::size_t f = 0; f < basis.size(); ++f) {
    double function = coefficients[f];
    for (const std::size_t degree : basis.degrees()) function *= std::tgamma(static_cast<double>(degree) + 1);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double exponent = basis.exponents(f)[i];
      if (exponent > 0) function *= std::pow(at[i], exponent) / std::tgamma(exponent + 1);
    }
    sum += function;
  }
  return sum;
}

// Barycentric coordinates of each simplex that sum to one.
Barycentric random_point(const BernsteinBasis& basis, unsigned seed) {
  const auto numbers = test::random_numbers(6, seed);
  Barycentric point{};
  std::size_t first = 0;
  for (const std::size_t count : basis.simplices()) {
    double sum = 0;
    for (std::size_t i = first; i < first + count; ++i) sum += std::abs(numbers[i]);
    for (std::size_t i = first; i < first + count; ++i) point[i] = std::abs(numbers[i]) / sum;
    first += count;
  }
  return point;
}

struct Space {
  std::vector<std::size_t> simplices, degrees;
  std::size_t size;
};

class BernsteinBases : public testing::TestWithParam<Space> {
 protected:
  const BernsteinBasis basis{GetParam().simplices, GetParam().degrees};
};
INSTANTIATE_TEST_SUITE_P(Spaces, BernsteinBases,
                         testing::Values(Space{{4}, {3}, 20}, Space{{4}, {0}, 1}, Space{{2, 2, 2}, {2, 2, 2}, 27},
                                         Space{{2, 2, 2}, {1, 2, 2}, 18}, Space{{3, 2}, {4, 5}, 90},
                                         Space{{3, 2}, {2, 1}, 12}));

TEST_P(BernsteinBases, FunctionsSumToOne) {
  EXPECT_EQ(basis.size(), GetParam().size);
  for (std::size_t f = 0; f < basis.size(); ++f) EXPECT_EQ(basis.index(basis.exponents(f)), f);
  const std::vector<double> ones(basis.size(), 1.0);
  for (unsigned seed = 0; seed < 5; ++seed) EXPECT_NEAR(value(basis, ones, random_point(basis, seed)), 1, 1e-14);
}

TEST_P(BernsteinBases, ProductsAreProducts) {
  const BernsteinBasis product = product_basis(basis, basis);
  const std::vector<double> a = test::random_numbers(basis.size(), 1), b = test::random_numbers(basis.size(), 2);
  std::vector<double> c(product.size(), 0.0), weights(product.size(), 0.0);
  for (const ProductTerm& term : product_terms(basis, basis, product)) {
    c[term.result] += term.weight * a[term.left] * b[term.right];
    weights[term.result] += term.weight;
  }
  for (const double weight : weights) EXPECT_NEAR(weight, 1, 1e-13);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Barycentric at = random_point(basis, seed);
    EXPECT_NEAR(value(product, c, at), value(basis, a, at) * value(basis, b, at), 1e-13);
  }
}

TEST_P(BernsteinBases, InterpolationMeetsTheValues) {
  if (std::any_of(basis.degrees().begin(), basis.degrees().end(), [](std::size_t p) { return p > 2; }))
    GTEST_SKIP() << "of degree 2 at most";
  const std::vector<double> values = test::random_numbers(basis.size(), 3);
  std::vector<double> coefficients = values;
  interpolate(basis, coefficients);
  for (std::size_t f = 0; f < basis.size(); ++f)
    EXPECT_NEAR(value(basis, coefficients, basis.domain_point(f)), values[f], 1e-14);
}

// No sample is below the minimum, the minimum is where it is said to be, and the best of many samples isn't far above.
TEST_P(BernsteinBases, MinimumIsThatOfSamples) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const std::vector<double> c = test::random_numbers(basis.size(), 10 + seed);
    const BernsteinMinimum minimum =
        find_minimum(basis, c, {.enough = std::numeric_limits<double>::infinity(), .compare_only = false, .gap = 1e-9});
    EXPECT_LE(minimum.upper - minimum.lower, 1e-9);
    EXPECT_NEAR(value(basis, c, minimum.at), minimum.upper, 1e-13);
    double least = std::numeric_limits<double>::infinity();
    for (unsigned sample = 0; sample < 3000; ++sample)
      least = std::min(least, value(basis, c, random_point(basis, 1000 + sample)));
    for (const BernsteinBasis::Corner& corner : basis.corners()) least = std::min(least, c[corner.function]);
    EXPECT_GE(least, minimum.lower);
    EXPECT_LE(least, minimum.upper + 0.15);
  }
}

// ---- elements --------------------------------------------------------------------------------------------------

const auto quadratic_types = testing::Values(ElementType::tet10, ElementType::hex20, ElementType::wedge15);
const auto curved_types = testing::Values(ElementType::tet10, ElementType::hex8, ElementType::hex20,
                                          ElementType::wedge6, ElementType::wedge15);
const auto type_name = [](const auto& param) { return std::string(element_type_name(param.param)); };

double determinant(const ElementTable& table, const std::vector<Point>& x, const Point& xi) {
  std::vector<Point> gradients(x.size());
  table.shape_gradient(xi, reinterpret_cast<double(*)[3]>(gradients.data()));
  Eigen::Matrix3d jacobian = Eigen::Matrix3d::Zero();
  for (std::size_t v = 0; v < x.size(); ++v)
    jacobian += Eigen::Vector3d::Map(x[v].data()) * Eigen::RowVector3d::Map(gradients[v].data());
  return jacobian.determinant();
}

// A lattice of points in the reference element, its boundary included.
std::vector<Point> lattice(ElementType type, int steps) {
  std::vector<Point> points;
  for (int i = 0; i <= steps; ++i)
    for (int j = 0; j <= steps; ++j)
      for (int k = 0; k <= steps; ++k) {
        const double a = 1.0 * i / steps, b = 1.0 * j / steps, c = 1.0 * k / steps;
        if (type == ElementType::tet10) {
          if (i + j + k <= steps) points.push_back({a, b, c});
        } else if (is_wedge(type)) {
          if (i + j <= steps) points.push_back({a, b, 2 * c - 1});
        } else {
          points.push_back({2 * a - 1, 2 * b - 1, 2 * c - 1});
        }
      }
  return points;
}

struct Extremes {
  double least = std::numeric_limits<double>::infinity(), largest = -least;
};

Extremes sampled(const ElementTable& table, const std::vector<Point>& x, int steps) {
  Extremes extremes;
  for (const Point& xi : lattice(table.type, steps)) {
    const double value = determinant(table, x, xi);
    extremes.least = std::min(extremes.least, value);
    extremes.largest = std::max(extremes.largest, value);
  }
  return extremes;
}

// The middle vertex of the first edge at a share t of it. Along the edge, dX/dxi is proportional to 4 t - 1 at its
// beginning and to 3 - 4 t at its end, and nothing else changes det J there: the sign changes at 1/4 and 3/4.
class MovedMiddles : public testing::TestWithParam<ElementType> {
 protected:
  [[nodiscard]] std::vector<Point> element(double t) const {
    std::vector<Point> x = table.corners;
    const auto [a, b] = table.edges[0];
    for (std::size_t c = 0; c < 3; ++c)
      x[x.size() - table.edges.size()][c] = table.corners[a][c] + t * (table.corners[b][c] - table.corners[a][c]);
    return x;
  }
  const ElementTable& table = element_table(GetParam());
  const JacobianSign sign{table};
};
INSTANTIATE_TEST_SUITE_P(Types, MovedMiddles, quadratic_types, type_name);

TEST_P(MovedMiddles, FoldAtAQuarterOfTheEdgeSharpTo1e12) {
  const double error = std::numeric_limits<double>::epsilon() / 2;
  for (const double t : {0.25, 0.25 + 1e-12, 0.75, 0.75 - 1e-12, 0.3, 0.5, 0.7})
    EXPECT_EQ(sign.shape(element(t), 0), ElementShape::proper) << t - 0.25;
  for (const double t : {0.25 - 1e-11, 0.25 - 4e-12, 0.75 + 4e-12, 0.1, 0.9, -0.3})
    EXPECT_EQ(sign.shape(element(t), 0), ElementShape::folded) << t - 0.25;
  EXPECT_EQ(sign.shape(element(0.25 - 1e-9), error), ElementShape::folded);
}

TEST_P(MovedMiddles, FoldIsWhereAndAsLargeAsTheClosedFormSays) {
  for (const double t : {0.24, 0.2, 0.1}) {
    const Fold fold = sign.fold(element(t));
    EXPECT_NEAR(fold.ratio, (4 * t - 1) / (3 - 4 * t), 1e-8) << t;
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(fold.place[c], table.corners[0][c], 1e-6);
  }
  const Fold end = sign.fold(element(0.8));
  EXPECT_NEAR(end.ratio, -0.2 / 2.2, 1e-8);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(end.place[c], table.corners[table.edges[0][1]][c], 1e-6);
}

TEST_P(MovedMiddles, TurnedRoundTheyAreInvertedOrFoldedAsBefore) {
  for (const double t : {0.25, 0.3, 0.24}) {
    std::vector<Point> x = element(t);
    for (Point& position : x) position[2] = -position[2];
    EXPECT_EQ(sign.shape(x, 0), t < 0.25 ? ElementShape::folded : ElementShape::inverted);
    if (t < 0.25) {
      EXPECT_NEAR(sign.fold(x).ratio, (4 * t - 1) / (3 - 4 * t), 1e-8);
    }
  }
}

class CurvedElements : public testing::TestWithParam<ElementType> {
 protected:
  [[nodiscard]] std::vector<Point> random_element(double size, unsigned seed) const {
    std::vector<Point> x = table.corners;
    const auto noise = test::random_numbers(3 * x.size(), seed);
    for (std::size_t v = 0; v < x.size(); ++v)
      for (std::size_t c = 0; c < 3; ++c) x[v][c] += size * noise[3 * v + c];
    return x;
  }
  const ElementTable& table = element_table(GetParam());
  const JacobianSign sign{table};
};
INSTANTIATE_TEST_SUITE_P(Types, CurvedElements, curved_types, type_name);

// From slightly curved elements to some that are mostly folded.
double largest_noise(ElementType type) {
  if (type == ElementType::tet10) return 0.25;
  if (type == ElementType::hex8) return 1.2;
  return type == ElementType::wedge6 ? 0.8 : 0.5;
}

TEST_P(CurvedElements, ShapeIsThatOfSamples) {
  int proper = 0, folded = 0, hidden = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::vector<Point> x = random_element(largest_noise(GetParam()) * (seed % 10 + 1) / 10, seed);
    const ElementShape shape = sign.shape(x, 0);
    double volume = 0, at_points = std::numeric_limits<double>::infinity();
    const QuadratureRule& rule = stiffness_rule(ElementBlock{GetParam(), {}});
    for (std::size_t p = 0; p < rule.points.size(); ++p) {
      const double value = determinant(table, x, rule.points[p]);
      volume += rule.weights[p] * value;
      at_points = std::min(at_points, value);
    }
    Extremes extremes = sampled(table, x, 12);
    if (volume < 0) extremes = {-extremes.largest, -extremes.least};
    if (shape != ElementShape::folded) {
      EXPECT_EQ(shape, volume > 0 ? ElementShape::proper : ElementShape::inverted) << seed;
      EXPECT_GE(extremes.least, -1e-12 * extremes.largest) << seed;
      ++proper;
      continue;
    }
    ++folded;
    hidden += at_points > 0;
    const double ratio = sign.fold(x).ratio, sampled_ratio = extremes.least / extremes.largest;
    EXPECT_LT(ratio, 0);
    // The lattice misses both extremes, and by the more the larger both are.
    EXPECT_NEAR(ratio, sampled_ratio, 0.1 * (1 + std::abs(ratio))) << seed;
  }
  EXPECT_GT(proper, 50);
  EXPECT_GT(folded, 30);
  if (is_quadratic(GetParam())) {
    EXPECT_GT(hidden, 0) << "some are folded although no quadrature point says so";
  }
}

// Neither size, nor place, nor direction matters.
TEST_P(CurvedElements, UnitsDoNotMatter) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::vector<Point> x = random_element(0.35, seed);
    const ElementShape shape = sign.shape(x, 0);
    for (const double scale : {1e-300, 1e-150, 1e-6, 1e6, 1e150, 1e300}) {
      std::vector<Point> y = x;
      for (Point& position : y)
        for (double& coordinate : position) coordinate *= scale;
      EXPECT_EQ(sign.shape(y, 0), shape) << scale;
    }
    std::vector<Point> thin = x;
    for (Point& position : thin) position[2] *= 1e-9;
    EXPECT_EQ(sign.shape(thin, 0), shape);
  }
}

TEST_P(CurvedElements, FlatOnesAndBadNumbersAreDegenerate) {
  std::vector<Point> flat = random_element(0.1, 1);
  for (Point& position : flat) position[1] = 0.25;
  EXPECT_EQ(sign.shape(flat, 0), ElementShape::degenerate);
  std::vector<Point> nowhere(flat.size(), Point{1, 2, 3});
  EXPECT_EQ(sign.shape(nowhere, 0), ElementShape::degenerate);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<Point> x = random_element(0.1, 1);
    x[2][1] = bad;
    EXPECT_EQ(sign.shape(x, 0), ElementShape::degenerate);
  }
}

// A hexahedron whose upper face is an edge has det J = 0 along that edge, and is no fold.
TEST(JacobianSignTest, CoincidentCornersAreNoFold) {
  std::vector<Point> x = element_table(ElementType::hex8).corners;
  x[7] = x[4];
  x[6] = x[5];
  EXPECT_EQ(JacobianSign(element_table(ElementType::hex8)).shape(x, 0), ElementShape::proper);
}

// x = xi^2 - eta^2, y = 2 xi eta winds twice around: det J = 4 (xi^2 + eta^2) reaches zero on a line, without a fold.
TEST(JacobianSignTest, ZeroInsideIsNoFold) {
  const ElementTable& table = element_table(ElementType::hex20);
  std::vector<Point> x = table.corners;
  for (Point& position : x)
    position = {position[0] * position[0] - position[1] * position[1], 2 * position[0] * position[1], position[2]};
  EXPECT_EQ(JacobianSign(table).shape(x, 0), ElementShape::proper);
}

}  // namespace
}  // namespace quartic
