// A Newmark step of bodies with mirror planes against the same step with the tensor of a basis that isn't even or odd
// in them, in the same run ("ratio"): many bodies, and one by itself. "share" is the share of multiply-adds that zeros
// leave.
#include <benchmark/benchmark.h>

#include "measure/machine_rates.hpp"
#include "quartic/batch.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace quartic::measure {
namespace {

struct Energies {
  QuarticEnergy parted, whole;
};

Energies energies_of(const ProceduralMesh& body, int rank) {
  ReduceOptions options{.rank = rank};
  Energies energies;
  energies.parted = reduce(body.mesh, body.fixed_vertices, options).energy;
  options.mirror_planes = false;
  energies.whole = reduce(body.mesh, body.fixed_vertices, options).energy;
  return energies;
}

template <class T>
Batch<T> batch_of(const QuarticEnergy& energy, const BatchOptions& options) {
  Batch<T> batch(energy, options);
  for (std::int64_t b = 0; b < options.bodies; ++b)
    for (int i = 0; i < energy.rank; ++i) batch.force()(i, b) = static_cast<T>(i % 3 == 0 ? 1 : -0.5);
  return batch;
}

template <class T>
void step(benchmark::State& state, ProceduralMesh (*make)(int, ElementType), int resolution) {
  const Energies energies = energies_of(make(resolution, ElementType::hex8), static_cast<int>(state.range(0)));
  const std::int64_t bodies = state.range(1);
  const BatchOptions options{
      .bodies = bodies, .threads = 1, .evaluation = bodies == 1 ? Evaluation::latency : Evaluation::strict};
  Batch<T> parted = batch_of<T>(energies.parted, options), whole = batch_of<T>(energies.whole, options);
  const auto [baseline, ours] = compare(
      {}, [&] { whole.step(1e-4); }, [&] { parted.step(1e-4); });
  for (auto _ : state) parted.step(1e-4);
  state.counters["ratio"] = baseline / ours;
  state.counters["share"] = tensor_symmetry(energies.parted).work_share;
}

constexpr auto float_step = step<float>, double_step = step<double>;

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"r", "B"});
  for (const int bodies : {1, 1024})
    for (const int rank : {12, 20, 30}) benchmark->Args({rank, bodies});
}
BENCHMARK_CAPTURE(float_step, spoon, make_spoon, 40)->Apply(sizes);
BENCHMARK_CAPTURE(double_step, spoon, make_spoon, 40)->Apply(sizes);
BENCHMARK_CAPTURE(float_step, bridge, make_bridge, 40)->Apply(sizes);
BENCHMARK_CAPTURE(double_step, bridge, make_bridge, 40)->Apply(sizes);

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
