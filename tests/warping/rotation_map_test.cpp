// exp and its mean as functions of a rotation vector, against series and sines in extended precision.
#include "core/warping/rotation_map.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/support.hpp"

namespace quartic::warping {
namespace {

using Vector = frame::Vector3<double>;

struct Exact {
  long double a, b, c, b_slope, c_slope;
};

// Power series in extended precision below 2, sines above, where they lose no digits.
Exact exact(long double t) {
  const long double s = t * t;
  if (t > 2) {
    const long double a = std::sin(t) / t, half = std::sin(t / 2) / t, b = 2 * half * half, c = (1 - a) / s;
    return {a, b, c, (a - 2 * b) / s, (b - 3 * c) / s};
  }
  Exact sums{};
  long double power = 1, factorial = 1;  // (-s)^n, (2n + 1)!
  for (int n = 0; n < 25; ++n, power *= -s) {
    if (n > 0) factorial *= 2 * n * (2 * n + 1);
    sums.a += power / factorial;
    sums.b += power / (factorial * (2 * n + 2));
    sums.c += power / (factorial * (2 * n + 2) * (2 * n + 3));
    // terms of n + 1, by s
    sums.b_slope += -2 * (n + 1) * power / (factorial * (2 * n + 2) * (2 * n + 3) * (2 * n + 4));
    sums.c_slope += -2 * (n + 1) * power / (factorial * (2 * n + 2) * (2 * n + 3) * (2 * n + 4) * (2 * n + 5));
  }
  return sums;
}

TEST(RotationMap, FunctionsAreExactFromTinyToManyTurns) {
  for (double t = 1e-9; t < 40; t *= 1.07) {
    const auto f = rotation_functions(t * t);
    const Exact e = exact(t);
    const auto error = [](double x, long double y) { return std::abs(static_cast<double>(x - y)); };
    EXPECT_LT(error(f.a, e.a), 3e-15) << t;
    EXPECT_LT(error(f.b, e.b), 3e-15) << t;
    EXPECT_LT(error(f.c, e.c), 3e-15) << t;
    EXPECT_LT(error(f.b_slope, e.b_slope), 5e-15) << t;
    EXPECT_LT(error(f.c_slope, e.c_slope), 1e-14) << t;  // a difference of half their size, by t^2 >= 1/4
  }
}

TEST(RotationMap, MeanRotationMakesLinearRotationsFinite) {
  const auto numbers = test::random_numbers(6 * 100, 3);
  for (std::size_t n = 0; n + 6 <= numbers.size(); n += 6) {
    const Vector w = {4 * numbers[n], 4 * numbers[n + 1], 4 * numbers[n + 2]};
    const Vector x = {numbers[n + 3], numbers[n + 4], numbers[n + 5]};
    const Vector linear = integrated_map(w).apply(cross(w, x)), finite = exponential_map(w).apply(x) - x;
    EXPECT_LT(norm(linear - finite), 2e-14);
  }
}

TEST(RotationMap, DerivativesAreThoseOfTheMapsAndTransposesBelongToThem) {
  const auto numbers = test::random_numbers(12 * 60, 5);
  for (std::size_t n = 0; n + 12 <= numbers.size(); n += 12) {
    const double size = n % 24 == 0 ? 0.1 : 4;  // series and sines
    const auto at = [&](std::size_t k, double scale) {
      return Vector{scale * numbers[n + k], scale * numbers[n + k + 1], scale * numbers[n + k + 2]};
    };
    const Vector w = at(0, size), p = at(3, 1), v = at(6, 1), f = at(9, 1);
    constexpr double h = 1e-5;
    for (const auto& map : {integrated_map<double>, exponential_map<double>}) {
      const auto here = map(w);
      const Vector slope = (0.5 / h) * (map(w + h * v).apply(p) - map(w - h * v).apply(p));
      EXPECT_LT(norm(here.derivative(p, v) - slope), 3e-10) << "central differences: h^2 and 1e-16 / h";
      EXPECT_NEAR(dot(f, here.derivative(p, v)), dot(here.derivative_transposed(p, f), v), 1e-14);
      EXPECT_NEAR(dot(f, here.apply(p)), dot(here.apply_transposed(f), p), 1e-14);
    }
  }
}

TEST(RotationMap, NoRotationLeavesEverything) {
  const Vector p = {1, -2, 3};
  EXPECT_EQ(norm(integrated_map(Vector{}).apply(p) - p), 0);
  EXPECT_EQ(norm(exponential_map(Vector{}).apply(p) - p), 0);
}

}  // namespace
}  // namespace quartic::warping
