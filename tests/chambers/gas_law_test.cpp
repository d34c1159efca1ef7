// The pressure of a gas that keeps p V, at a volume and over a step, against quadrature and differences.
#include "core/batch/gas_law.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace quartic {
namespace {

constexpr double amount = 250, start = 2e-3;

// The mean of amount / V from `start` to `end`, by Gauss' rule of five points on pieces.
double quadrature(double end) {
  constexpr std::array<double, 5> points = {-0.906179845938664, -0.5384693101056831, 0, 0.5384693101056831,
                                            0.906179845938664};
  constexpr std::array<double, 5> weights = {0.23692688505618908, 0.47862867049936647, 0.5688888888888889,
                                             0.47862867049936647, 0.23692688505618908};
  constexpr int pieces = 64;
  double sum = 0;
  for (int n = 0; n < pieces; ++n)
    for (std::size_t i = 0; i < points.size(); ++i)
      sum += weights[i] / 2 * amount / (start + (end - start) * (n + 0.5 + points[i] / 2) / pieces);
  return sum / pieces;
}

TEST(GasLawTest, MeanIsThatOfAllVolumesBetween) {
  for (const double end : {start, 1.5e-3, 2e-3 * (1 + 1e-9), 2e-3 * (1 - 1e-5), 4e-3, 2e-4})
    EXPECT_NEAR(mean_gas(amount, start, end).pressure, quadrature(end), 1e-13 * quadrature(end)) << end;
}

// On both sides of the series' limit, which is at 1e-3 of the volume.
TEST(GasLawTest, StiffnessIsMinusTheDerivative) {
  for (const double end : {1.5e-3, 1.9981e-3, 1.9979e-3, 1.9999e-3, 2.0001e-3, 2.0019e-3, 2.0021e-3, 5e-3}) {
    const double h = 1e-3 * end;
    const auto slope = [&](double step) { return (quadrature(end + step) - quadrature(end - step)) / (2 * step); };
    const double exact = -(4 * slope(h) - slope(2 * h)) / 3;
    EXPECT_NEAR(mean_gas(amount, start, end).stiffness, exact, 1e-8 * exact) << end;
  }
  EXPECT_DOUBLE_EQ(mean_gas(amount, start, start).stiffness, amount / (2 * start * start));
  EXPECT_DOUBLE_EQ(gas_at(amount, start).stiffness, amount / (start * start));
  EXPECT_NEAR(chord_stiffness(amount, start, 3e-3), (amount / start - amount / 3e-3) / 1e-3, 1e-9 * amount / 6e-6);
}

TEST(GasLawTest, NoVolumeHasNoPressure) {
  EXPECT_TRUE(std::isnan(gas_at(amount, 0).pressure));
  EXPECT_TRUE(std::isnan(gas_at(amount, -1).stiffness));
  EXPECT_TRUE(std::isnan(mean_gas(amount, start, -1e-9).pressure));
  EXPECT_TRUE(std::isnan(mean_gas(amount, -1e-9, start).stiffness));
}

}  // namespace
}  // namespace quartic
