// Steps with contacts on a GPU over those of the same batch without: blocks of 5,000 contact points, every other of
// which lies on the ground. Counter "over_free": how many times as long. On an emulated device, whose counters tell
// flop and bytes of each kernel, take --benchmark_filter=B:32/.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <memory>

#include "measure/machine_rates.hpp"
#include "quartic/cuda.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/world.hpp"

namespace quartic::measure {
namespace {

constexpr double step = 2e-3;

const ReducedModel& block(int rank) {
  static std::map<int, ReducedModel> models;
  ReducedModel& model = models[rank];
  if (model.rank() == 0) {
    const ProceduralMesh box = make_box({.length = 1,
                                         .width = 0.6,
                                         .height = 0.3,
                                         .cells_x = 6,
                                         .cells_y = 4,
                                         .cells_z = 2,
                                         .material = {.youngs_modulus = 2e6, .poissons_ratio = 0.3, .density = 1000}});
    model = reduce(box.mesh, {}, {.modes = 12, .rank = rank});
  }
  return model;
}

template <class T>
World<T> half_lying(int rank, std::int64_t bodies) {
  static std::map<int, std::shared_ptr<const BoundTree>> trees;
  std::shared_ptr<const BoundTree>& tree = trees[rank];
  if (tree == nullptr) tree = std::make_shared<BoundTree>(bound_tree(block(rank), {.spacing = 0.0315}));
  std::vector<BodyGroup> groups(1);
  groups[0].energy = block(rank).energy;
  groups[0].bodies = bodies;
  groups[0].frame = free_frame(block(rank));
  World<T> world(Batch<T>(std::move(groups), {.integrator = Integrator::backward_euler, .backend = Backend::cuda}),
                 {tree}, {.stiffness = 1e7});
  world.colliders() = {Collider{Shape{PlaneShape{}}}};
  for (std::int64_t b = 0; b < bodies; ++b) world.batch().pose()(2, b) = static_cast<T>(b % 2 == 0 ? 0.15 : 2);
  for (std::int64_t b = 0; b < bodies; b += 2) world.batch().wrench()(2, b) = static_cast<T>(-180 * 9.81);
  return world;
}

template <class T>
void contacts_over_free(benchmark::State& state) {
  const auto rank = static_cast<int>(state.range(0));
  World<T> world = half_lying<T>(rank, state.range(1)), free = half_lying<T>(rank, state.range(1));
  for (int n = 0; n < 3; ++n) world.step(step);  // lie
  const auto [without, with] = compare(
      {}, [&] { free.batch().step(step); }, [&] { world.step(step); });
  for (auto _ : state) world.step(step);
  state.counters["over_free"] = with / without;
  state.counters["contacts"] = static_cast<double>(world.contacts().size());
}
BENCHMARK(contacts_over_free<float>)->ArgNames({"r", "B"})->ArgsProduct({{20, 40}, {32, 512, 8192}})->UseRealTime();
BENCHMARK(contacts_over_free<double>)->ArgNames({"r", "B"})->ArgsProduct({{20}, {32, 512, 8192}})->UseRealTime();

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
