#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "measure/machine_rates.hpp"
#include "measure/measurements.hpp"
#include "measure/samples.hpp"

namespace quartic::measure {
namespace {

constexpr double most_seconds = 30;  // for looking at single steps

// What the project set out to reach.
std::optional<double> target_of_one(bool is_double, int rank) {
  if (rank < 4 || rank > 60) return std::nullopt;
  if (rank == 30) return is_double ? 3 : 6;
  return 1;
}

template <class T>
void measure(const Plan& plan, int rank, std::vector<Measurement>& results) {
  const QuarticEnergy energy = sample_energy(rank);
  Batch<T> body = sample_batch<T>(energy, {.threads = 1, .evaluation = Evaluation::latency});
  ClassicalScheme classical = sample_classical_body(energy);
  require_same_state(body, classical);
  const auto [baseline, ours] = compare(
      plan.effort, [&] { classical.step(sample_dt); }, [&] { body.step(sample_dt); });
  const bool is_double = sizeof(T) == 8;
  const std::string name =
      std::string("one body, ") + (is_double ? "double" : "float") + ", r = " + std::to_string(rank);
  results.push_back({.name = name,
                     .value = ours * 1e6,
                     .unit = "us/step",
                     .baseline = "classical scheme, double",
                     .baseline_value = baseline * 1e6,
                     .ratio = baseline / ours,
                     .target = target_of_one(is_double, rank)});
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(plan.steps));
  const auto begin = Clock::now();
  for (std::int64_t n = 0; n < plan.steps && seconds_since(begin) < most_seconds; ++n) {
    const auto start = Clock::now();
    body.step(sample_dt);
    times.push_back(seconds_since(start) * 1e6);
  }
  std::sort(times.begin(), times.end());
  const double median = percentile(times, 0.5);
  results.push_back({.name = name + ", p50", .value = median, .unit = "us/step"});
  for (const auto& [label, share] : {std::pair{", p99.9", 0.999}, std::pair{", max", 1.0}}) {
    const double time = percentile(times, share);
    results.push_back({.name = name + label,
                       .value = time,
                       .unit = "us/step",
                       .baseline = "p50",
                       .baseline_value = median,
                       .ratio = median / time});
  }
}

}  // namespace

std::vector<Measurement> measure_one_body(const Plan& plan) {
  const BlasThreads blas(1);
  std::vector<Measurement> results;
  for (const int rank : plan.ranks) {
    measure<float>(plan, rank, results);
    measure<double>(plan, rank, results);
  }
  return results;
}

}  // namespace quartic::measure
