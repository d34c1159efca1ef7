// Newmark steps of many bodies on one thread. Each line gives the rate of the evaluation's floating-point operations
// (2 NR NI per body and iteration, the rest of the step counted as overhead) as a share of the rate of a large matrix
// product in the same precision, and the gain over a batch of one body, both from the same run.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <vector>

#include "quartic/batch.hpp"
#include "sample_energy.hpp"

namespace {

using quartic::Batch;
using quartic::bench::sample_energy;

template <class T>
Batch<T> sample_batch(int rank, std::int64_t bodies) {
  Batch<T> batch(sample_energy(rank), {.bodies = bodies, .rayleigh_mass = 0.1, .threads = 1});
  for (int i = 0; i < rank; ++i)
    for (std::int64_t b = 0; b < bodies; ++b)
      batch.force()(i, b) = static_cast<T>(std::sin(static_cast<double>(i + 7 * b)));
  batch.step(0.1, 10);
  return batch;
}

// Of processor time, since everything runs on one thread and the machine may have other work.
double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Floating-point operations per second of a square product of order 1024 on one thread, the best of some.
template <class T>
double gemm_rate() {
  constexpr int n = 1024;
  const std::vector<T> a(std::size_t{n} * n, T{1}), b(a);
  std::vector<T> c(a.size());
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::clock();
    if constexpr (sizeof(T) == 4)
      cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
    else
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
    best = std::max(best, 2.0 * n * n * n / seconds_since(start));
  }
  return best;
}

// Seconds per body and step, the best of some.
template <class T>
double body_step_seconds(Batch<T>& batch) {
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const int steps = batch.bodies() == 1 ? 2000 : 20;  // many ticks of the clock
    const auto start = std::clock();
    batch.step(0.1, steps);
    best = std::min(best, seconds_since(start) / (steps * static_cast<double>(batch.bodies())));
  }
  return best;
}

template <class T>
void newmark_step(benchmark::State& state) {
  const int rank = static_cast<int>(state.range(0));
  const std::int64_t bodies = state.range(1);
  Batch<T> batch = sample_batch<T>(rank, bodies), one = sample_batch<T>(rank, 1);
  const double gemm = gemm_rate<T>();
  const double alone = body_step_seconds(one);
  const double together = body_step_seconds(batch);
  for (auto _ : state) batch.step(0.1);
  const double rows = rank * (rank + 3) / 2.0, monomials = (rank + 1) * (rank + 2) / 2.0;
  state.counters["bodies*steps/s"] = 1 / together;
  state.counters["share_of_gemm"] = 2 * rows * monomials / together / gemm;
  state.counters["gain_over_one_body"] = alone / together;
}

BENCHMARK(newmark_step<float>)->ArgNames({"r", "B"})->ArgsProduct({{12, 20, 30}, {1024}});
BENCHMARK(newmark_step<double>)->ArgNames({"r", "B"})->ArgsProduct({{12, 20, 30}, {1024}});

}  // namespace

int main(int argc, char** argv) {
  openblas_set_num_threads(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
