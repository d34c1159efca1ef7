// A Newmark step of one body on one thread, against the classical scheme in double in the same run (counter "ratio").
// With --percentiles: how evenly steps of rank 30 take their time, over a million of them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "classical_scheme.hpp"
#include "quartic/batch.hpp"
#include "sample_energy.hpp"

namespace quartic::bench {
namespace {

constexpr double dt = 0.01;

double load(int mode) {
  return std::sin(static_cast<double>(mode));
}

template <class T>
Batch<T> sample_body(int rank) {
  Batch<T> batch(sample_energy(rank), {.threads = 1, .evaluation = Evaluation::latency});
  for (int i = 0; i < rank; ++i) batch.force()(i, 0) = static_cast<T>(load(i));
  batch.step(100 * dt, 100);
  return batch;
}

ClassicalScheme classical_body(int rank) {
  ClassicalScheme scheme(sample_energy(rank));
  for (int i = 0; i < rank; ++i) scheme.force[static_cast<std::size_t>(i)] = load(i);
  for (int n = 0; n < 100; ++n) scheme.step(dt);
  return scheme;
}

// Seconds per call, the best of some.
template <class Work>
double seconds(const Work& work) {
  double best = 1e9;
  for (int run = 0; run < 10; ++run) {
    int calls = 0;
    const auto start = std::chrono::steady_clock::now();
    std::chrono::duration<double> time{};
    do {
      for (int n = 0; n < 16; ++n) work();
      calls += 16;
      time = std::chrono::steady_clock::now() - start;
    } while (time.count() < 0.01);
    best = std::min(best, time.count() / calls);
  }
  return best;
}

template <class T>
void one_body_step(benchmark::State& state) {
  const int rank = static_cast<int>(state.range(0));
  Batch<T> body = sample_body<T>(rank);
  ClassicalScheme classical = classical_body(rank);
  double error = 0, size = 0;
  for (int i = 0; i < rank; ++i) {
    const double expected = classical.q[static_cast<std::size_t>(i)];
    error += std::pow(double{body.q()(i, 0)} - expected, 2);
    size += expected * expected;
  }
  // A hundred steps, each some roundings.
  if (std::sqrt(error) > 1000 * double{std::numeric_limits<T>::epsilon()} * std::sqrt(size))
    throw std::runtime_error("both schemes should compute the same");
  const double baseline = seconds([&] { classical.step(dt); });
  const double ours = seconds([&] { body.step(dt); });
  for (auto _ : state) body.step(dt);
  state.counters["ratio"] = baseline / ours;
}
BENCHMARK(one_body_step<float>)->ArgName("r")->Arg(4)->Arg(8)->Arg(12)->Arg(20)->Arg(30)->Arg(40)->Arg(60);
BENCHMARK(one_body_step<double>)->ArgName("r")->Arg(4)->Arg(8)->Arg(12)->Arg(20)->Arg(30)->Arg(40)->Arg(60);

template <class T>
void print_percentiles(const char* precision) {
  constexpr int rank = 30, steps = 1'000'000;
  Batch<T> body = sample_body<T>(rank);
  std::vector<double> times;
  times.reserve(steps);
  for (int n = 0; n < steps; ++n) {
    const auto start = std::chrono::steady_clock::now();
    body.step(dt);
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) { return times[static_cast<std::size_t>(share * (steps - 1))]; };
  std::printf("%s, rank %d: p99.9 / p50 = %.2f, max / p50 = %.1f\n", precision, rank, at(0.999) / at(0.5),
              times.back() / at(0.5));
}

}  // namespace
}  // namespace quartic::bench

int main(int argc, char** argv) {
  openblas_set_num_threads(1);
  if (argc > 1 && std::strcmp(argv[1], "--percentiles") == 0) {
    quartic::bench::print_percentiles<float>("float");
    quartic::bench::print_percentiles<double>("double");
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
