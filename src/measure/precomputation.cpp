#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <stdexcept>
#include <string>

#include "measure/machine_rates.hpp"
#include "measure/measurements.hpp"
#include "measure/precomputed_integrals.hpp"
#include "measure/samples.hpp"
#include "quartic/backend.hpp"
#include "quartic/model.hpp"

namespace quartic::measure {
namespace {

// The processor time that a call takes on all threads together: what one thread would need.
template <class Work>
double processor_seconds(const Effort& effort, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < effort.rounds; ++round) {
    int calls = 0;
    const auto start = std::clock();
    double time = 0;
    do {
      work();
      ++calls;
      time = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    } while (time < effort.seconds);
    best = std::min(best, time / calls);
  }
  return best;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return most / size;
}

}  // namespace

std::vector<Measurement> measure_energy_reduction(const Plan& plan) {
  constexpr int syrk_size = 2048;
  const ProceduralMesh box = sample_box(plan.box_cells, ElementType::hex8);
  const double machine = syrk_rate(default_thread_count(), syrk_size, plan.effort);
  std::vector<Measurement> results;
  for (const int rank : plan.ranks) {
    const Matrix basis = sample_basis(box.mesh, rank);
    const double seconds =
        seconds_per_call({.rounds = 2, .seconds = 0}, [&] { (void)reduce_energy(box.mesh, basis.map()); });
    const double rate = reduction_flops(box.mesh, rank) / seconds;
    results.push_back({.name = "coefficients, r = " + std::to_string(rank),
                       .value = rate * 1e-9,
                       .unit = "GFLOP/s",
                       .baseline = "dsyrk",
                       .baseline_value = machine * 1e-9,
                       .ratio = rate / machine,
                       .target = rank >= 20 ? std::optional(0.7) : std::nullopt});
  }
  return results;
}

std::vector<Measurement> measure_unreduced_forces(const Plan& plan) {
  const VolumeMesh mesh = sample_box(plan.box_cells, ElementType::tet4).mesh;
  InternalForces forces(mesh);
  SparseMatrix k = forces.zero_stiffness(), classical_k = k;
  const PrecomputedIntegrals classical(mesh, k);
  const std::vector<double> u = sample_displacement(mesh);
  std::vector<double> r(u.size()), classical_r(u.size());
  forces.evaluate(u, r, k);
  classical.evaluate(u, classical_r, classical_k);
  if (std::max(relative_difference(r, classical_r), relative_difference(k.values, classical_k.values)) > 1e-12)
    throw std::runtime_error("the precomputed integrals and our forces should be the same, but aren't");
  const double baseline = processor_seconds(plan.effort, [&] { classical.evaluate(u, classical_r, classical_k); });
  const double ours = processor_seconds(plan.effort, [&] { forces.evaluate(u, r, k); });
  return {{.name = "force and stiffness, " + std::to_string(mesh.element_count()) + " tet4",
           .value = ours * 1e3,
           .unit = "ms of one thread",
           .baseline = "precomputed integrals",
           .baseline_value = baseline * 1e3,
           .ratio = baseline / ours,
           .target = 1}};
}

std::vector<Measurement> measure_reduction(const Plan& plan) {
  ProceduralMesh beam = make_beam(plan.reduced_resolution, ElementType::tet4);
  const std::string elements = std::to_string(beam.mesh.element_count()) + " tet4";
  ReduceReport report;
  (void)reduce(std::move(beam.mesh), beam.fixed_vertices, {}, &report);
  double total = 0;
  for (const auto& [name, seconds] : report.stages) total += seconds;
  std::vector<Measurement> results = {{.name = "reduce, " + elements, .value = total, .unit = "s"}};
  for (const auto& [name, seconds] : report.stages)
    results.push_back({.name = "reduce, " + name,
                       .value = seconds,
                       .unit = "s",
                       .baseline = "all stages",
                       .baseline_value = total,
                       .ratio = seconds / total});
  return results;
}

}  // namespace quartic::measure
