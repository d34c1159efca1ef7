// Cost of editing materials at run time, in Newmark steps on one thread, both from the same run: steps of a whole batch
// of 1024 bodies ("per_batch_step") and of one body alone ("per_body_step").
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "quartic/editing.hpp"
#include "quartic/procedural.hpp"

namespace {

using quartic::Batch;
using quartic::Material;
using quartic::ReducedModel;

// A cantilever of four regions.
ReducedModel sample_model(int rank) {
  auto [mesh, fixed_vertices] = quartic::make_box();
  const auto material = mesh.regions[0].material;
  mesh.regions.assign(4, {.name = "", .material = material});
  for (std::size_t e = 0; e < mesh.element_region.size(); ++e)
    mesh.element_region[e] = static_cast<std::int32_t>(4 * e / mesh.element_region.size());
  return quartic::reduce(mesh, fixed_vertices, {.modes = 10, .rank = rank, .region_parts = true});
}

// Of processor time, since everything runs on one thread and the machine may have other work. The best of some.
template <class Work>
double seconds(int repetitions, const Work& work) {
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::clock();
    for (int i = 0; i < repetitions; ++i) work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / repetitions);
  }
  return best;
}

double step_seconds(const ReducedModel& model, std::int64_t bodies) {
  Batch<double> batch(model.energy, {.bodies = bodies, .threads = 1});
  for (int mode = 0; mode < model.rank(); ++mode)
    for (std::int64_t body = 0; body < bodies; ++body) batch.force()(mode, body) = model.unit_acceleration(mode, 2);
  batch.step(0.1, 10);
  return seconds(bodies == 1 ? 1000 : 10, [&] { batch.step(0.01); });
}

void edit(benchmark::State& state, bool density) {
  const ReducedModel model = sample_model(static_cast<int>(state.range(0)));
  std::vector<Material> materials;
  for (const auto& region : model.mesh.regions) materials.push_back(*region.material);
  materials[1].youngs_modulus *= 2;
  if (density) materials[2].density *= 1.5;
  const double batch_step = step_seconds(model, 1024), body_step = step_seconds(model, 1);
  const double once = seconds(10, [&] { benchmark::DoNotOptimize(quartic::edit_materials(model, materials)); });
  for (auto _ : state) benchmark::DoNotOptimize(quartic::edit_materials(model, materials));
  state.counters["per_batch_step"] = once / batch_step;
  state.counters["per_body_step"] = once / body_step;
}

BENCHMARK_CAPTURE(edit, elastic_constants, false)->ArgName("r")->Arg(12)->Arg(20)->Arg(30);
BENCHMARK_CAPTURE(edit, densities, true)->ArgName("r")->Arg(12)->Arg(20)->Arg(30);

}  // namespace

int main(int argc, char** argv) {
  openblas_set_num_threads(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
