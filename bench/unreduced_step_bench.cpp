// A step of the unreduced body (implicit Newmark, one Newton iteration), against the least that it takes: evaluation of
// forces and tangent stiffness, numerical factorisation on a known pattern and one solve, each called bare in the same
// run. Counter "ratio": the step's time over that of the three; the others are their shares of it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/fem/free_matrix.hpp"
#include "measure/samples.hpp"
#include "measure/timing.hpp"
#include "quartic/unreduced.hpp"

namespace quartic::measure {
namespace {

struct Parts {
  double evaluation = 0, factorization = 0, solve = 0, step = 0;  // [s]
};

// All in turns, so that what slows the machine down slows all; the best of each.
Parts measure_parts(const ProceduralMesh& box, int rounds) {
  UnreducedBody body(box.mesh, box.fixed_vertices);
  const std::vector<double> weight = gravity_force(body.mass(), std::array{0.0, 0.0, -9.81});
  std::copy(weight.begin(), weight.end(), body.force().begin());
  body.step(sample_dt, 3);  // into motion; the first step analyses the pattern
  InternalForces forces(box.mesh);
  SparseMatrix k = forces.zero_stiffness();
  std::vector<double> r(weight.size());
  std::optional<Factorization> factor;
  Parts best{1e9, 1e9, 1e9, 1e9};
  const auto time = [](double& least, const auto& work) {
    const auto start = Clock::now();
    work();
    least = std::min(least, seconds_since(start));
  };
  for (int round = 0; round < rounds; ++round) {
    time(best.evaluation, [&] { forces.evaluate(body.displacement(), r, k); });
    // The step's matrix: (4 / dt^2) M + K on the free degrees of freedom, as many entries as K's.
    const SparseMatrix whole = to_sparse_matrix(Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>(
        k.map() + 4 / (sample_dt * sample_dt) * body.mass().map()));
    const SparseMatrix a = FreeMatrix(whole, FreedomMap(whole.rows, Supports(box.fixed_vertices))).matrix;
    if (!factor) factor.emplace(a, FactorizationOptions{.updatable = true});
    time(best.factorization, [&] { factor->update(a); });
    Eigen::VectorXd x = Eigen::VectorXd::Ones(a.rows);
    time(best.solve, [&] { factor->solve(x); });
    time(best.step, [&] { body.step(sample_dt); });
  }
  return best;
}

void unreduced_step(benchmark::State& state) {
  const ProceduralMesh box =
      sample_box(static_cast<int>(state.range(0)), state.range(1) == 0 ? ElementType::tet4 : ElementType::hex8);
  Parts parts;
  for (auto _ : state) {
    parts = measure_parts(box, 5);
    state.SetIterationTime(parts.step);
  }
  const double bare = parts.evaluation + parts.factorization + parts.solve;
  state.counters["elements"] = static_cast<double>(box.mesh.element_count());
  state.counters["ratio"] = parts.step / bare;
  state.counters["evaluation"] = parts.evaluation / parts.step;
  state.counters["factorization"] = parts.factorization / parts.step;
  state.counters["solve"] = parts.solve / parts.step;
}
BENCHMARK(unreduced_step)
    ->ArgNames({"cells", "hex8"})
    ->Args({33, 0})
    ->Args({50, 0})
    ->Args({40, 1})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quartic::measure

BENCHMARK_MAIN();
