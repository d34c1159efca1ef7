// Force and tangent stiffness of a whole mesh of some 12,700 tetrahedra on one thread, against the classical scheme of
// precomputed integrals in the same run (counter "ratio").
#include <benchmark/benchmark.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <vector>

#include "precomputed_integrals.hpp"
#include "quartic/fem.hpp"
#include "quartic/procedural.hpp"

namespace quartic::bench {
namespace {

// Of processor time, since everything runs on one thread and the machine may have other work. The best of some.
template <class Work>
double seconds(const Work& work) {
  double best = 1e9;
  for (int run = 0; run < 10; ++run) {
    const auto start = std::clock();
    for (int i = 0; i < 5; ++i) work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / 5);
  }
  return best;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return most / size;
}

void force_and_stiffness(benchmark::State& state) {
  const VolumeMesh mesh = make_box({.length = 1,
                                    .width = 0.25,
                                    .height = 0.25,
                                    .cells_x = 33,
                                    .cells_y = 8,
                                    .cells_z = 8,
                                    .type = ElementType::tet4})
                              .mesh;
  ElasticForces forces(mesh);
  SparseMatrix ours = forces.zero_stiffness(), theirs = ours;
  const PrecomputedIntegrals classical(mesh, ours);
  std::vector<double> u(mesh.vertices.size()), r(u.size()), classical_r(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = 0.01 * std::sin(static_cast<double>(i));
  forces.evaluate(u, r, ours);
  classical.evaluate(u, classical_r, theirs);
  if (std::max(largest_difference(r, classical_r), largest_difference(ours.values, theirs.values)) > 1e-12)
    throw std::runtime_error("both schemes should compute the same");
  const double baseline = seconds([&] { classical.evaluate(u, classical_r, theirs); });
  const double time = seconds([&] { forces.evaluate(u, r, ours); });
  for (auto _ : state) forces.evaluate(u, r, ours);
  state.counters["ratio"] = baseline / time;
}
BENCHMARK(force_and_stiffness)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quartic::bench

int main(int argc, char** argv) {
  cpu_set_t one;  // before the library counts the processors it may use
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof one, &one);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
