// Filling and reading the state of a batch.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "quartic/batch.hpp"
#include "support/support.hpp"

namespace quartic::test {

inline constexpr Integrator all_integrators[] = {Integrator::newmark, Integrator::backward_euler,
                                                 Integrator::central_differences, Integrator::energy_conserving};

/// The backend that tests of batches run on: the one that QUARTIC_TEST_BACKEND names, "cpu" or "cuda"; else the CPU.
[[nodiscard]] inline Backend tested_backend() {
  const char* name = std::getenv("QUARTIC_TEST_BACKEND");
  return name != nullptr && std::string_view(name) == backend_name(Backend::cuda) ? Backend::cuda : Backend::cpu;
}

/// A batch on the tested backend.
template <class T>
class TestedBatch : public Batch<T> {
 public:
  explicit TestedBatch(const QuarticEnergy& energy, const BatchOptions& options = {})
      : Batch<T>(energy, on_tested_backend(options)) {}
  explicit TestedBatch(std::vector<BodyGroup> groups, const BatchOptions& options = {})
      : Batch<T>(std::move(groups), on_tested_backend(options)) {}

 private:
  [[nodiscard]] static BatchOptions on_tested_backend(BatchOptions options) {
    options.backend = tested_backend();
    return options;
  }
};

template <class T>
void set_body(StateView<T> view, std::int64_t body, const Eigen::VectorXd& values) {
  for (std::int64_t i = 0; i < view.rank; ++i) view(i, body) = static_cast<T>(values[i]);
}

template <class T>
[[nodiscard]] Eigen::VectorXd get_body(StateView<const T> view, std::int64_t body) {
  Eigen::VectorXd values(view.rank);
  for (std::int64_t i = 0; i < view.rank; ++i) values[i] = view(i, body);
  return values;
}

/// A vector of `rank` numbers in [-scale, scale], exactly representable in float.
[[nodiscard]] inline Eigen::VectorXd random_vector(int rank, unsigned seed, double scale) {
  const std::vector<double> numbers = random_numbers(static_cast<std::size_t>(rank), seed);
  Eigen::VectorXd values(rank);
  for (int i = 0; i < rank; ++i) values[i] = static_cast<float>(scale * numbers[static_cast<std::size_t>(i)]);
  return values;
}

/// Start of a body that depends on the body's number alone.
template <class T>
void set_random_body(Batch<T>& batch, std::int64_t slot, unsigned number) {
  const int rank = batch.rank();
  set_body(batch.q(), slot, random_vector(rank, 4 * number, 0.3));
  set_body(batch.velocity(), slot, random_vector(rank, 4 * number + 1, 2));
  set_body(batch.acceleration(), slot, random_vector(rank, 4 * number + 2, 10));
  set_body(batch.force(), slot, random_vector(rank, 4 * number + 3, 20));
}

/// q, velocity, acceleration one after the other.
template <class T>
[[nodiscard]] std::vector<T> full_state(const Batch<T>& batch, std::int64_t body) {
  std::vector<T> values;
  for (const StateView<const T> view : {batch.q(), batch.velocity(), batch.acceleration()})
    for (std::int64_t i = 0; i < view.rank; ++i) values.push_back(view(i, body));
  return values;
}

/// The largest difference of the bodies' vectors, over the largest entry.
template <class T>
[[nodiscard]] double relative_difference(StateView<const T> a, StateView<const T> b) {
  double worst = 0, largest = 0;
  for (std::int64_t n = 0; n < a.bodies; ++n) {
    worst = std::max(worst, (get_body(a, n) - get_body(b, n)).template lpNorm<Eigen::Infinity>());
    largest = std::max(largest, get_body(b, n).template lpNorm<Eigen::Infinity>());
  }
  return worst / largest;
}

}  // namespace quartic::test
