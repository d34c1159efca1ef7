// Force and tangent stiffness of a whole mesh of tetrahedra, against the classical scheme of precomputed integrals in
// the same run: counter "ratio", of the processor time of all threads together.
#include <benchmark/benchmark.h>

#include "measure/measurements.hpp"
#include "measure/samples.hpp"
#include "quartic/fem.hpp"

namespace quartic::measure {
namespace {

void force_and_stiffness(benchmark::State& state) {
  const Plan plan{.box_cells = static_cast<int>(state.range(0))};
  const VolumeMesh mesh = sample_box(plan.box_cells, ElementType::tet4).mesh;
  InternalForces forces(mesh);
  SparseMatrix k = forces.zero_stiffness();
  const std::vector<double> u = sample_displacement(mesh);
  std::vector<double> r(u.size());
  for (auto _ : state) forces.evaluate(u, r, k);
  state.counters["tetrahedra"] = static_cast<double>(mesh.element_count());
  state.counters["ratio"] = measure_unreduced_forces(plan).front().ratio;
}
BENCHMARK(force_and_stiffness)->ArgName("cells")->Arg(33)->Arg(66)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
