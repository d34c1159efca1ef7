// Reduction of the quartic energy, as a share of the rate of a large dsyrk in the same run (counter "ratio").
#include <benchmark/benchmark.h>

#include "measure/machine_rates.hpp"
#include "measure/samples.hpp"
#include "quartic/backend.hpp"

namespace quartic::measure {
namespace {

constexpr int syrk_size = 2048;

void reduce_energy_rate(benchmark::State& state) {
  const int rank = static_cast<int>(state.range(0));
  const ProceduralMesh box = make_box({.cells_x = 40, .cells_y = 10, .cells_z = 10});  // 108,000 quadrature points
  const Matrix basis = sample_basis(box.mesh, rank);
  const double machine_rate = syrk_rate(default_thread_count(), syrk_size, {});
  const auto start = Clock::now();
  for (auto _ : state) benchmark::DoNotOptimize(reduce_energy(box.mesh, basis.map()));
  const double seconds = seconds_since(start) / static_cast<double>(state.iterations());
  state.counters["ratio"] = reduction_flops(box.mesh, rank) / seconds / machine_rate;
}
BENCHMARK(reduce_energy_rate)
    ->ArgName("r")
    ->Arg(12)
    ->Arg(20)
    ->Arg(30)
    ->Arg(40)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
