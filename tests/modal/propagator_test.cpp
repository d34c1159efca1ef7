// Flows of oscillators against 120 digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "modal/propagator_values.hpp"
#include "quartic/error.hpp"
#include "quartic/modal_batch.hpp"

namespace quartic {
namespace {

using namespace test;

// The largest error of an entry over its natural size: that of z from v is 1/w, and so on, but within h. The phase
// w h is known to so many digits only, since w is.
double error_of(const PropagatorValues& v) {
  const ModalPropagator p = modal_propagator(v.eigenvalue, v.damping, v.h);
  const double w = std::sqrt(v.eigenvalue), rate = std::max(w, 1 / v.h), s = 1 / rate, phase = std::max(1.0, w * v.h);
  const double pairs[][3] = {{p.zz_less_one, v.zz_less_one, 1},
                             {p.zv, v.zv, s},
                             {p.vz, v.vz, rate},
                             {p.vv_less_one, v.vv_less_one, 1},
                             {p.z_force, v.z_force, s * s},
                             {p.v_force, v.zv, s},
                             {p.z_ramp, v.z_ramp, s * s},
                             {p.v_ramp, v.v_ramp, s}};
  double worst = 0;
  for (const auto& [own, exact, size] : pairs) worst = std::max(worst, std::abs(own - exact) / size);
  return worst / phase;
}

TEST(ModalPropagator, MatchesHundredTwentyDigits) {
  EXPECT_GT(std::size(propagator_values), 300U);
  for (const PropagatorValues& values : propagator_values)
    EXPECT_LE(error_of(values), 1e-15) << values.eigenvalue << " " << values.damping << " " << values.h;
}

TEST(ModalPropagator, KeepsTheDigitsOfSlowMotion) {
  // lambda h^2 = 1e-16: the change of z is far below the round-off of 1.
  const ModalPropagator p = modal_propagator(1, 0, 1e-8);
  EXPECT_NEAR(p.zz_less_one / -0.5e-16, 1, 1e-15);
  EXPECT_NEAR(p.vv_less_one / -0.5e-16, 1, 1e-15);
}

TEST(ModalPropagator, RefusesWhatIsNoOscillator) {
  for (const double bad : {-1.0, double{INFINITY}, std::nan("")}) {
    EXPECT_THROW((void)modal_propagator(bad, 0, 1), InputError);
    EXPECT_THROW((void)modal_propagator(0, bad, 1), InputError);
    EXPECT_THROW((void)modal_propagator(0, 0, bad), InputError);
  }
  EXPECT_EQ(modal_propagator(3, 1, 0).zv, 0);
}

}  // namespace
}  // namespace quartic
