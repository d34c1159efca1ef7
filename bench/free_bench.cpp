// Steps of flying bodies and of bodies on a moving base over those of the same bodies in a frame at rest: same model,
// iterations and machine, a batch on one thread. Counter "over_held": how many times as long.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <utility>

#include "measure/machine_rates.hpp"
#include "measure/samples.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace quartic::measure {
namespace {

constexpr std::int64_t bodies = 1024;
constexpr double step = 1e-3;

const ReducedModel& block(int rank) {
  static std::map<int, ReducedModel> models;
  ReducedModel& model = models[rank];
  if (model.rank() == 0)
    model = reduce(make_box({.length = 1,
                             .width = 0.6,
                             .height = 0.3,
                             .cells_x = 6,
                             .cells_y = 4,
                             .cells_z = 2,
                             .material = {.youngs_modulus = 2e6, .poissons_ratio = 0.3, .density = 1000}})
                       .mesh,
                   {}, {.modes = 12, .rank = rank});
  return model;
}

BodyGroup held(const ReducedModel& model) {
  return {.energy = model.energy, .bodies = bodies};
}
BodyGroup flying(const ReducedModel& model) {
  return {.energy = model.energy, .bodies = bodies, .frame = free_frame(model)};
}
BodyGroup mounted(const ReducedModel& model) {
  return {.energy = model.energy, .bodies = bodies, .frame = base_frame(model), .motion = FrameMotion::prescribed};
}

template <class T>
Batch<T> spinning(BodyGroup group, int iterations) {
  Batch<T> batch({std::move(group)}, {.newton_iterations = iterations, .threads = 1});
  for (std::int64_t b = 0; b < bodies; ++b) {
    batch.q()(0, b) = static_cast<T>(0.1);
    if (batch.has_frame()) batch.twist()(4, b) = static_cast<T>(3);
  }
  return batch;
}

template <class T, BodyGroup (*group_of)(const ReducedModel&)>
void over_held(benchmark::State& state) {
  const ReducedModel& model = block(static_cast<int>(state.range(0)));
  const int iterations = static_cast<int>(state.range(1));
  Batch<T> baseline = spinning<T>(held(model), iterations), batch = spinning<T>(group_of(model), iterations);
  const auto [at_rest, moving] = compare(
      {}, [&] { baseline.step(step); }, [&] { batch.step(step); });
  for (auto _ : state) batch.step(step);
  state.counters["over_held"] = moving / at_rest;
}
BENCHMARK(over_held<float, flying>)->ArgNames({"r", "iterations"})->ArgsProduct({{12, 20, 30}, {1, 2}});
BENCHMARK(over_held<double, flying>)->ArgNames({"r", "iterations"})->ArgsProduct({{12, 20, 30}, {1, 2}});
BENCHMARK(over_held<float, mounted>)->ArgNames({"r", "iterations"})->ArgsProduct({{12, 20, 30}, {1, 2}});
BENCHMARK(over_held<double, mounted>)->ArgNames({"r", "iterations"})->ArgsProduct({{12, 20, 30}, {1, 2}});

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
