#include <string>

#include "measure/machine_rates.hpp"
#include "measure/measurements.hpp"
#include "measure/samples.hpp"

namespace quartic::measure {
namespace {

constexpr int steps = 10;  // before measuring: of a million bodies they take long

std::optional<double> target_of_many(bool is_double, int rank) {
  if (rank == 30) return is_double ? 10 : 20;
  if (rank == 20) return is_double ? 8.5 : 17;
  return std::nullopt;
}

template <class T>
void measure(const Plan& plan, int rank, double peak, std::vector<Measurement>& results) {
  const QuarticEnergy energy = sample_energy(rank);
  ClassicalScheme classical = sample_classical_body(energy, steps);
  Batch<T> batch = sample_batch<T>(energy, {.bodies = plan.bodies, .threads = 1}, steps);
  require_same_state(batch, classical);
  const auto [baseline, whole] = compare(
      plan.effort, [&] { classical.step(sample_dt); }, [&] { batch.step(sample_dt); });
  const double ours = whole / static_cast<double>(plan.bodies);
  const bool is_double = sizeof(T) == 8;
  const std::string name =
      std::to_string(plan.bodies) + " bodies, " + (is_double ? "double" : "float") + ", r = " + std::to_string(rank);
  results.push_back({.name = name + ", 1 thread",
                     .value = ours * 1e6,
                     .unit = "us/body",
                     .baseline = "classical scheme, double",
                     .baseline_value = baseline * 1e6,
                     .ratio = baseline / ours,
                     .target = target_of_many(is_double, rank)});
  const double rate = evaluation_flops(rank) / ours;
  results.push_back({.name = name + ", rate",
                     .value = rate * 1e-9,
                     .unit = "GFLOP/s",
                     .baseline = "multiply-add, 1 thread",
                     .baseline_value = peak * 1e-9,
                     .ratio = rate / peak,
                     .target = rank >= 20 ? std::optional(0.8) : std::nullopt});
  if (plan.threads <= 1) return;
  Batch<T> shared = sample_batch<T>(energy, {.bodies = plan.bodies, .threads = plan.threads}, steps);
  const double all = seconds_per_call(plan.effort, [&] { shared.step(sample_dt); }) / static_cast<double>(plan.bodies);
  results.push_back({.name = name + ", " + std::to_string(plan.threads) + " threads",
                     .value = all * 1e6,
                     .unit = "us/body",
                     .baseline = "1 thread",
                     .baseline_value = ours * 1e6,
                     .ratio = ours / all});
}

}  // namespace

std::vector<Measurement> measure_batch(const Plan& plan) {
  const BlasThreads blas(1);
  const double peak_float = multiply_add_rate<float>(1, plan.effort);
  const double peak_double = multiply_add_rate<double>(1, plan.effort);
  std::vector<Measurement> results;
  for (const int rank : plan.ranks) {
    measure<float>(plan, rank, peak_float, results);
    measure<double>(plan, rank, peak_double, results);
  }
  return results;
}

}  // namespace quartic::measure
