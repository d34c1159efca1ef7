// Reduction of the quartic energy, as a share of the rate of a large dsyrk in the same run (counter "ratio").
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "quartic/energy.hpp"
#include "quartic/procedural.hpp"
#include "sizes.hpp"

namespace quartic::bench {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Flops per second of C += A A^T, of which dsyrk computes one triangle: the best of a few after warming up.
double large_rank_k_rate() {
  constexpr int n = large_rank_k_size;
  constexpr double flops = 1.0 * n * n * (n + 1);
  const std::vector<double> a(static_cast<std::size_t>(n) * n, 0.5);
  std::vector<double> c(a.size());
  double best = 0;
  for (int i = 0; i < 4; ++i) {
    const auto start = std::chrono::steady_clock::now();
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, 1.0, a.data(), n, 0.0, c.data(), n);
    best = std::max(best, flops / seconds_since(start));
  }
  return best;
}

void reduce_energy_rate(benchmark::State& state) {
  const auto rank = static_cast<std::int64_t>(state.range(0));
  const ProceduralMesh box =
      make_box({.cells_x = energy_cells_x, .cells_y = energy_cells_y, .cells_z = energy_cells_z});
  Matrix basis(3 * box.mesh.vertex_count(), rank);
  for (std::size_t i = 0; i < basis.values.size(); ++i) basis.values[i] = std::sin(static_cast<double>(i));

  const double machine_rate = large_rank_k_rate();
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) benchmark::DoNotOptimize(reduce_energy(box.mesh, basis.map()));
  const double seconds = seconds_since(start) / static_cast<double>(state.iterations());

  const double points = 27.0 * static_cast<double>(box.mesh.element_count());
  const double pairs = static_cast<double>((rank + 1) * (rank + 2) / 2 - 1);
  const double rate = 6 * points * pairs * (pairs + 1) / seconds;
  state.counters["points"] = points;
  state.counters["GF/s"] = rate * 1e-9;
  state.counters["dsyrk GF/s"] = machine_rate * 1e-9;
  state.counters["ratio"] = rate / machine_rate;
}

void all_ranks(benchmark::internal::Benchmark* benchmark) {
  for (const int rank : ranks) benchmark->Arg(rank);
}

BENCHMARK(reduce_energy_rate)->Apply(all_ranks)->ArgName("r")->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quartic::bench

BENCHMARK_MAIN();
