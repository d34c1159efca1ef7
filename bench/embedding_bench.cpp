// From reduced coordinates to vertices, u = U q in `float`, against this machine's own rates in the same run, on all
// cores: "share_of_copy" is the time in which as many bytes as u has would be copied, over that of u; "share_of_fma"
// the rate of its multiplications and additions over the machine's; "share_of_limit" the larger of both. And embedding
// itself: elements and vertices per second.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "measure/machine_rates.hpp"
#include "quartic/embedding.hpp"
#include "quartic/procedural.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic::measure {
namespace {

constexpr std::int64_t vertex_count = 20'000;
constexpr Effort effort{.rounds = 5, .seconds = 0.05};

int thread_count() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void displacements(benchmark::State& state) {
  const std::int64_t rank = state.range(0), bodies = state.range(1);
  const Eigen::MatrixXd basis = Eigen::MatrixXd::Random(3 * vertex_count, rank);
  const Eigen::MatrixXf q = Eigen::MatrixXf::Random(bodies, rank);  // as a batch holds it: bodies side by side
  std::vector<float> u(static_cast<std::size_t>(3 * vertex_count * bodies));
  const StateView<const float> view{q.data(), rank, bodies, bodies, 1};
  const auto displace = [&] { vertex_displacements<float>(basis, view, {}, u); };
  displace();
  const double seconds = seconds_per_call(effort, displace);
  for (auto _ : state) displace();
  const double bytes = 4.0 * static_cast<double>(u.size());
  const double flops = 2.0 * static_cast<double>(rank) * static_cast<double>(u.size());
  const double copy_seconds = 2 * bytes / copy_rate(thread_count(), effort);
  const double fma_seconds = flops / multiply_add_rate<float>(thread_count(), effort);
  state.counters["share_of_copy"] = copy_seconds / seconds;
  state.counters["share_of_fma"] = fma_seconds / seconds;
  state.counters["share_of_limit"] = std::max(copy_seconds, fma_seconds) / seconds;
  state.counters["GB/s"] = bytes / seconds / 1e9;
}
BENCHMARK(displacements)->ArgNames({"r", "B"})->ArgsProduct({{20, 30}, {1, 64, 256, 1024}});

// A heart of tetrahedra, and its own surface a little smaller or larger.
void embed(benchmark::State& state) {
  const VolumeMesh mesh = make_heart(static_cast<int>(state.range(0)), ElementType::tet4).mesh;
  const double scale = state.range(1) == 1 ? 1.001 : 0.999;
  TriangleMesh surface{mesh.vertices, boundary_triangles(mesh), {}};
  for (double& x : surface.vertices) x *= scale;
  for (auto _ : state) benchmark::DoNotOptimize(embed_surface(mesh, surface));
  state.counters["elements/s"] =
      benchmark::Counter(static_cast<double>(mesh.element_count()), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["vertices/s"] =
      benchmark::Counter(static_cast<double>(surface.vertex_count()), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(embed)->ArgNames({"resolution", "outside"})->ArgsProduct({{40, 80}, {0, 1}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
