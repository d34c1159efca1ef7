// Warps, in ratios to what they stand beside in the same run.
//
// modal_warp: the time of warped displacements over that of U q of the same modes, vertices and bodies, all in float,
// with rotations of about a radian. rotation_strain: the time of a shape over that of the sparse solve in it alone.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "measure/timing.hpp"
#include "quartic/embedding.hpp"
#include "quartic/factorization.hpp"
#include "quartic/procedural.hpp"
#include "quartic/warping.hpp"

namespace quartic::measure {
namespace {

constexpr Effort effort{.rounds = 20, .seconds = 0.02};

void modal_warp(benchmark::State& state) {
  constexpr std::int64_t vertices = 20'000;
  const std::int64_t rank = state.range(0), bodies = state.range(1);
  const Eigen::MatrixXd modes = Eigen::MatrixXd::Random(3 * vertices, rank);
  const ModalWarp warp(to_matrix(modes), to_matrix(Eigen::MatrixXd::Random(3 * vertices, rank)));
  const Eigen::MatrixXf q = Eigen::MatrixXf::Random(bodies, rank) / std::sqrt(static_cast<float>(rank) / 3);
  const StateView<const float> view{q.data(), rank, bodies, bodies, 1};
  std::vector<float> u(static_cast<std::size_t>(3 * vertices * bodies));
  const auto [linear, warped] = compare(
      effort, [&] { vertex_displacements<float>(modes, view, {}, u); },
      [&] { warp.displacements<float>(view, {}, std::span<float>(u)); });
  for (auto _ : state) warp.displacements<float>(view, {}, std::span<float>(u));
  state.counters["times_linear"] = warped / linear;
}
BENCHMARK(modal_warp)->ArgNames({"k", "B"})->ArgsProduct({{20, 32}, {1, 64, 256}})->Unit(benchmark::kMillisecond);

void rotation_strain(benchmark::State& state) {
  const auto [mesh, fixed] = make_box({.length = 1,
                                       .width = 0.2,
                                       .height = 0.2,
                                       .cells_x = static_cast<int>(state.range(0)),
                                       .cells_y = static_cast<int>(state.range(0)) / 5,
                                       .cells_z = static_cast<int>(state.range(0)) / 5,
                                       .type = ElementType::tet4});
  const RotationStrainWarp warp(mesh, fixed);
  SparseMatrix shifted = warp.laplacian();  // of the order of what is factorised
  for (std::int64_t row = 0; row < shifted.rows; ++row)
    for (auto at = shifted.row_offsets[static_cast<std::size_t>(row)];
         at < shifted.row_offsets[static_cast<std::size_t>(row) + 1]; ++at)
      if (shifted.columns[static_cast<std::size_t>(at)] == row) shifted.values[static_cast<std::size_t>(at)] *= 1.01;
  const Factorization factor(shifted);
  const Eigen::MatrixXd u = 0.1 * Eigen::MatrixXd::Random(3 * mesh.vertex_count(), 1);
  Eigen::MatrixXd right = Eigen::MatrixXd::Random(mesh.vertex_count(), 3);
  const auto [solve, shape] = compare(
      effort, [&] { factor.solve(right); }, [&] { benchmark::DoNotOptimize(warp.warp(u)); });
  for (auto _ : state) benchmark::DoNotOptimize(warp.warp(u));
  state.counters["times_solve"] = shape / solve;
  state.counters["elements"] = static_cast<double>(mesh.element_count());
}
BENCHMARK(rotation_strain)->ArgName("cells")->Arg(30)->Arg(60)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
