#include "support/reference_comparison.hpp"

#include <gtest/gtest.h>

#include "support/batch_states.hpp"
#include "support/reference_steps.hpp"

namespace quartic::test {

template <class T>
void compare_with_reference(const SumOfSquares& squares, const QuarticEnergy& energy, BatchOptions options,
                            double tolerance) {
  options.bodies = 2;
  options.rayleigh_mass = 0.7;
  options.rayleigh_stiffness = 0.002;
  TestedBatch<T> batch(energy, options);
  set_random_body(batch, 0, 1);
  set_random_body(batch, 1, 2);
  BodyState body{get_body<T>(batch.q(), 1), get_body<T>(batch.velocity(), 1), get_body<T>(batch.acceleration(), 1)};
  const Eigen::VectorXd f = get_body<T>(batch.force(), 1);
  const double dt = 0.01;
  for (int step = 0; step < 3; ++step) {
    batch.step(dt);
    body = reference_step(squares, body, f, dt, options);
  }
  const auto error = [](const Eigen::VectorXd& x, const Eigen::VectorXd& reference) {
    return (x - reference).lpNorm<Eigen::Infinity>() / reference.lpNorm<Eigen::Infinity>();
  };
  EXPECT_LE(error(get_body<T>(batch.q(), 1), body.q), tolerance);
  // Velocities are increments over dt, accelerations once more: each costs a factor 2 / (omega dt), some 5 to 10.
  EXPECT_LE(error(get_body<T>(batch.velocity(), 1), body.v), 5 * tolerance);
  EXPECT_LE(error(get_body<T>(batch.acceleration(), 1), body.a), 30 * tolerance);
  EXPECT_EQ(batch.status()[1], BodyStatus::ok);
}

template void compare_with_reference<float>(const SumOfSquares&, const QuarticEnergy&, BatchOptions, double);
template void compare_with_reference<double>(const SumOfSquares&, const QuarticEnergy&, BatchOptions, double);

}  // namespace quartic::test
