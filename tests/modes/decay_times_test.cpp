// Damping from how long sounds last.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/participation.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;

double t60_at(const RayleighDamping& damping, double frequency) {
  const double w = 2 * std::numbers::pi * frequency;
  return 2 * std::log(1000.0) / (damping.mass + damping.stiffness * w * w);
}

TEST(DecayTimes, MeetsOneTimeAndTwo) {
  const DecayTime one[] = {{440, 2.5}};
  EXPECT_EQ(rayleigh_damping(one).stiffness, 0);
  EXPECT_NEAR(t60_at(rayleigh_damping(one), 440), 2.5, 1e-14);
  const DecayTime two[] = {{4000, 0.3}, {200, 2}};
  const RayleighDamping damping = rayleigh_damping(two);
  EXPECT_NEAR(t60_at(damping, 200), 2, 1e-12);
  EXPECT_NEAR(t60_at(damping, 4000), 0.3, 1e-12);
}

TEST(DecayTimes, FitsMoreWithoutFeedingAnyMode) {
  // Rates that are alpha + beta w^2 are found again; those that ask for a negative alpha get the best beta alone.
  const RayleighDamping exact = {3, 2e-7};
  std::vector<DecayTime> times;
  for (const double f : {100.0, 700.0, 3000.0, 9000.0}) times.push_back({f, t60_at(exact, f)});
  const RayleighDamping found = rayleigh_damping(times);
  EXPECT_NEAR(found.mass, exact.mass, 1e-9);
  EXPECT_NEAR(found.stiffness / exact.stiffness, 1, 1e-9);

  const DecayTime steep[] = {{100, 100}, {1000, 0.5}, {2000, 0.01}};
  const RayleighDamping edge = rayleigh_damping(steep);
  EXPECT_EQ(edge.mass, 0);
  // The derivative of the squares' sum by beta vanishes.
  double slope = 0;
  for (const DecayTime& time : steep) {
    const double w = 2 * std::numbers::pi * time.frequency, weight = w * w * time.t60 / (2 * std::log(1000.0));
    slope += weight * (weight * edge.stiffness - 1);
  }
  EXPECT_NEAR(slope * edge.stiffness, 0, 1e-12);
}

TEST(DecayTimes, RefusesWhatCannotBe) {
  const auto message = [](std::vector<DecayTime> times) { return message_of([&] { (void)rayleigh_damping(times); }); };
  EXPECT_NE(message({}).find("needs a pair"), std::string::npos);
  EXPECT_NE(message({{0, 1}}).find("finite and > 0"), std::string::npos);
  EXPECT_NE(message({{100, std::nan("")}}).find("finite and > 0"), std::string::npos);
  EXPECT_NE(message({{100, 1}, {100, 2}}).find("different frequencies"), std::string::npos);
  EXPECT_NE(message({{100, 1}, {1000, 2}}).find("negative stiffness damping"), std::string::npos);
  EXPECT_NE(message({{100, 1}, {1000, 0.001}}).find("negative mass damping"), std::string::npos);
}

}  // namespace
}  // namespace quartic
