// Batches of free bodies for tests: a soft block that tumbles, and states in and out.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/dense.hpp"
#include "support/free_body.hpp"

namespace quartic::test {

inline constexpr Integrator free_integrators[] = {Integrator::newmark, Integrator::backward_euler,
                                                  Integrator::energy_conserving};

// Soft, so that deformation changes the inertia a lot.
inline const ReducedModel& soft_block() {
  static const ReducedModel model = free_block(2e5, 4, 8);
  return model;
}

inline BodyGroup flying(const ReducedModel& model, std::int64_t bodies = 1) {
  return {.energy = model.energy, .bodies = bodies, .frame = free_frame(model)};
}

// Bent by up to 0.1 m and spinning fast.
inline FreeState tumbling(const ReducedModel& model, unsigned seed = 1) {
  FreeState state;
  state.q = random_vector(model.rank(), seed, 1);
  state.q.tail(model.rank() - 4).setZero();
  state.q *= 0.1 / (model.basis.map() * state.q).cwiseAbs().maxCoeff();
  state.rate = Eigen::VectorXd::Zero(model.rank());
  state.position = Eigen::Vector3d(0.5, -0.25, 2);
  state.velocity = Eigen::Vector3d(1, 0.5, -0.75);
  state.spin = Eigen::Vector3d(0.3, 6, 0.3);
  return state;
}

template <class T>
void set_state(Batch<T>& batch, std::int64_t body, const FreeState& s) {
  const auto put = [&](StateView<T> view, std::int64_t row, const auto& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) view(row + i, body) = static_cast<T>(values[i]);
  };
  put(batch.q(), 0, s.q);
  put(batch.velocity(), 0, s.rate);
  put(batch.pose(), 0, s.position);
  put(batch.twist(), 0, s.velocity);
  put(batch.twist(), 3, s.spin);  // no rotation
}

// Accelerations, too, which Newmark starts from.
template <class T>
void set_rates(Batch<T>& batch, std::int64_t body, const FreeRates& rates) {
  for (Eigen::Index i = 0; i < rates.second.size(); ++i)
    batch.acceleration()(i, body) = static_cast<T>(rates.second[i]);
  for (Eigen::Index c = 0; c < 3; ++c) batch.twist_rate()(3 + c, body) = static_cast<T>(rates.spin_rate[c]);
}

template <class T>
FreeState get_state(const Batch<T>& batch, std::int64_t body, int rank) {
  const auto rows = [&](StateView<const T> view, std::int64_t first, std::int64_t count) {
    Eigen::VectorXd values(count);
    for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<double>(view(first + i, body));
    return values;
  };
  FreeState s;
  s.q = rows(batch.q(), 0, rank);
  s.rate = rows(batch.velocity(), 0, rank);
  s.position = rows(batch.pose(), 0, 3);
  s.rotation = rotation_of(Eigen::Vector4d(rows(batch.pose(), 3, 4)));
  s.velocity = rows(batch.twist(), 0, 3);
  s.spin = rows(batch.twist(), 3, 3);
  return s;
}

inline Eigen::Vector3d three(const std::vector<double>& numbers, std::int64_t body = 0) {
  return {numbers[static_cast<std::size_t>(3 * body)], numbers[static_cast<std::size_t>(3 * body + 1)],
          numbers[static_cast<std::size_t>(3 * body + 2)]};
}

/// That a call throws an InputError with these words.
inline void expect_refused(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "accepted; expected: " << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
  }
}

template <class T>
double whole_energy(const Batch<T>& batch, std::int64_t body = 0) {
  const auto b = static_cast<std::size_t>(body);
  return batch.elastic_energy()[b] + batch.kinetic_energy()[b];
}

}  // namespace quartic::test
