#include "cli/runs/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "cli/runs/simulation.hpp"
#include "measure/oscillation.hpp"
#include "quartic/editing.hpp"
#include "quartic/embedding.hpp"
#include "quartic/error.hpp"
#include "quartic/statics.hpp"

namespace quartic::cli {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::optional<double> relative_difference(std::optional<double> value, std::optional<double> expected) {
  if (!value || !expected || *expected == 0) return {};
  return *value / *expected - 1;
}

// |u - U q|_M^2 = (|u|_M^2 - |p|^2) + |p - q|^2 with p = U^T M u, since U is mass-orthonormal.
void measure_fields(const Yardstick& yardstick, const MatrixXd& q, const Candidate& candidate, ComparisonRow& row) {
  const MatrixXd p = candidate.basis.map().transpose() * yardstick.mass_times_displacements.map();
  const double size = yardstick.size;
  if (size == 0) return;
  const double outside = std::max(0.0, size - p.squaredNorm());
  row.basis_error = std::sqrt(outside / size);
  row.field_error = std::sqrt((outside + (p - q).squaredNorm()) / size);
}

// Largest distance of the watched vertex from where the unreduced body has it.
double vertex_error(const Matrix& displacements, const MatrixXd& q, const Candidate& candidate, std::int32_t vertex) {
  const auto rows = candidate.basis.map().middleRows(3 * Eigen::Index{vertex}, 3);
  const auto u = displacements.map();
  double largest = 0, distance = 0;
  for (Eigen::Index n = 0; n < u.cols(); ++n) {
    const Eigen::Vector3d there = u.col(n).segment(3 * Eigen::Index{vertex}, 3);
    largest = std::max(largest, there.norm());
    distance = std::max(distance, (rows * q.col(n) - there).norm());
  }
  return largest > 0 ? distance / largest : 0;
}

// What is needed to look at a candidate as at a model.
ReducedModel model_of(const VolumeMesh& mesh, const Candidate& candidate) {
  ReducedModel model;
  model.mesh = mesh;
  model.basis = candidate.basis;
  model.unit_acceleration = candidate.unit_acceleration;
  model.energy = candidate.energy;
  model.cubature = candidate.cubature;
  return model;
}

Matrix unit_acceleration(const Matrix& basis, const SparseMatrix& mass) {
  Matrix result(basis.cols, 3);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::array<double, 3> unit{};
    unit[axis] = 1;
    const std::vector<double> weight = gravity_force(mass, unit);
    result.map().col(static_cast<Eigen::Index>(axis)) =
        basis.map().transpose() * VectorXd::Map(weight.data(), std::ssize(weight));
  }
  return result;
}

ComparisonRow row_of(const Candidate& candidate) {
  ComparisonRow row{.name = candidate.name, .modes = candidate.modes, .rank = candidate.rank()};
  if (candidate.relaxation) row.share = candidate.relaxation->share;
  return row;
}

// One body's motion, q for each frame.
MatrixXd move_reduced(const VolumeMesh& mesh, const Candidate& candidate, const Scene& scene,
                      const MotionOptions& options, ComparisonRow& row) {
  LoadProgram loads(candidate.basis.map(), candidate.unit_acceleration, scene);
  SimulationOptions simulation;
  static_cast<MotionOptions&>(simulation) = options;
  simulation.batch = batch_options(options);
  simulation.batch.evaluation = Evaluation::latency;
  simulation.batch.threads = 1;
  if (options.strain_damping > 0)
    simulation.strain_form = damping_strains(mesh, candidate.basis.map(), candidate.relaxation);
  const ReducedModel model = model_of(mesh, candidate);
  simulation.range = model_range(model);
  const SimulationResult result = simulate(force_model(model), loads, simulation, [](std::string_view, double) {});
  row.status = result.trajectory.status.front();
  row.range =
      find_out(model, result.trajectory, result.watch, result.trajectory.flags, [](std::string_view, double) {});
  row.step_seconds = result.step_seconds / (static_cast<double>(options.frames) * options.substeps);
  return MatrixXd::Map(result.trajectory.q.data(), candidate.rank(), result.trajectory.frames());
}

}  // namespace

Relaxation BodyRelaxer::relax(const Matrix& basis, const QuarticEnergy& energy, double share) {
  if (!system_) system_.emplace(model_.mesh, model_.supports(), model_.mass_matrix);
  return relax_strains(model_.mesh, *system_, basis.map(), energy, {.share = share, .progress = progress_});
}

Candidate truncated(const Candidate& candidate, int rank, BodyRelaxer& relaxer) {
  if (rank >= candidate.rank()) return candidate;
  if (candidate.cubature)
    throw InputError(
        "the weights of a cubature belong to the whole basis: models with one aren't compared at lower ranks; reduce "
        "the "
        "mesh with --rank " +
        std::to_string(rank));
  std::vector<int> kept(static_cast<std::size_t>(rank));
  std::iota(kept.begin(), kept.end(), 0);
  Candidate cut{.name = candidate.name,
                .modes = candidate.modes,
                .basis = to_matrix(candidate.basis.map().leftCols(rank)),
                .unit_acceleration = to_matrix(candidate.unit_acceleration.map().topRows(rank)),
                .energy = keep_coordinates(unrelaxed(candidate).energy, kept)};
  if (candidate.relaxation) {
    cut.relaxation = relaxer.relax(cut.basis, cut.energy, candidate.relaxation->share);
    cut.energy = relaxed(cut.energy, *cut.relaxation);
  }
  return cut;
}

Candidate unrelaxed(const Candidate& candidate) {
  Candidate whole = candidate;
  if (whole.relaxation) whole.energy = quartic::unrelaxed(whole.energy, *whole.relaxation);
  whole.relaxation.reset();
  return whole;
}

std::vector<Candidate> with_shares(const Candidate& candidate, const std::vector<double>& shares) {
  if (shares.empty()) return {candidate};
  if (!candidate.relaxation)
    throw InputError(candidate.name +
                     ": --relax needs a model that knows what could be relaxed; reduce its mesh with --relax");
  const QuarticEnergy whole = unrelaxed(candidate).energy;
  std::vector<Candidate> candidates;
  for (const double share : shares) {
    Candidate& made = candidates.emplace_back(candidate);
    made.relaxation->share = share;
    made.energy = relaxed(whole, *made.relaxation);
  }
  return candidates;
}

std::vector<Candidate> candidates_of_modes(const ReducedModel& model, const std::vector<int>& modes, int rank,
                                           bool relax, const Progress& progress) {
  const ElasticSystem system(model.mesh, model.supports(), model.mass_matrix);
  const int most = *std::max_element(modes.begin(), modes.end());
  const LinearModes all = linear_modes(system, {.count = most, .progress = progress});
  const ModalDerivatives derivatives = modal_derivatives(model.mesh, system, all.vectors.map(), {.progress = progress});
  std::vector<Candidate> candidates;
  for (const int k : modes) {
    LinearModes some;
    some.eigenvalues.assign(all.eigenvalues.begin(), all.eigenvalues.begin() + k);
    some.vectors = to_matrix(all.vectors.map().leftCols(k));
    ModalDerivatives theirs;
    std::vector<std::int64_t> columns;
    for (std::size_t p = 0; p < derivatives.pairs.size(); ++p) {
      if (derivatives.pairs[p][0] >= k || derivatives.pairs[p][1] >= k) continue;
      theirs.pairs.push_back(derivatives.pairs[p]);
      columns.push_back(static_cast<std::int64_t>(p));
    }
    theirs.vectors = select_columns(derivatives.vectors, columns);
    Basis basis = mass_pca_up_to(scaled_fields(some, theirs, system.mass()), system.mass(), rank);
    Matrix acceleration = unit_acceleration(basis.vectors, system.mass());
    QuarticEnergy energy = reduce_energy(model.mesh, basis.vectors.map(), {.progress = progress});
    std::optional<Relaxation> relaxation;
    if (relax)
      relaxation = relax_strains(model.mesh, system, basis.vectors.map(), energy, {.share = 0, .progress = progress});
    candidates.push_back({.name = std::to_string(k) + (k == 1 ? " mode" : " modes"),
                          .modes = k,
                          .basis = std::move(basis.vectors),
                          .unit_acceleration = std::move(acceleration),
                          .energy = std::move(energy),
                          .relaxation = std::move(relaxation)});
  }
  return candidates;
}

Yardstick make_yardstick(Snapshots snapshots, const SparseMatrix& mass, WatchedVertex watched, double step_seconds) {
  Yardstick yardstick{.snapshots = std::move(snapshots), .watched = watched, .step_seconds = step_seconds};
  const Matrix& u = yardstick.snapshots.displacements;
  yardstick.mass_times_displacements = Matrix(u.rows, u.cols);
  yardstick.mass_times_displacements.map().noalias() = mass.map() * u.map();
  yardstick.size = u.map().cwiseProduct(yardstick.mass_times_displacements.map()).sum();
  return yardstick;
}

std::vector<double> watched_signal(const Matrix& displacements, const WatchedVertex& watched) {
  std::vector<double> signal;
  for (std::int64_t n = 0; n < displacements.cols; ++n) {
    double sum = 0;
    for (std::int64_t c = 0; c < 3; ++c)
      sum += watched.direction[static_cast<std::size_t>(c)] * displacements(3 * std::int64_t{watched.vertex} + c, n);
    signal.push_back(sum);
  }
  return signal;
}

ComparisonRow compare_motion(const VolumeMesh& mesh, const Candidate& candidate, const Yardstick& unreduced,
                             const Scene& scene, const MotionOptions& options) {
  ComparisonRow row = row_of(candidate);
  const MatrixXd q = move_reduced(mesh, candidate, scene, options, row);
  row.valid = row.status != BodyStatus::diverged;
  const Matrix& u = unreduced.snapshots.displacements;
  const WatchedVertex& watched = unreduced.watched;
  measure_fields(unreduced, q, candidate, row);
  row.vertex_error = vertex_error(u, q, candidate, watched.vertex);
  row.watched = watched_signal(to_matrix(candidate.basis.map().middleRows(3 * Eigen::Index{watched.vertex}, 3) * q),
                               {.vertex = 0, .direction = watched.direction});
  const auto expected = measure::oscillation_of(unreduced.snapshots.time, watched_signal(u, watched));
  const auto found = measure::oscillation_of(unreduced.snapshots.time, row.watched);
  row.amplitude_error = relative_difference(found.amplitude, expected.amplitude);
  row.frequency_error = relative_difference(found.frequency, expected.frequency);
  row.speedup = unreduced.step_seconds / std::max(row.step_seconds, 1e-9);
  return row;
}

ComparisonRow compare_equilibrium(const VolumeMesh& mesh, const Candidate& candidate, const Yardstick& unreduced,
                                  const std::vector<double>& load) {
  ComparisonRow row = row_of(candidate);
  const VectorXd force = candidate.basis.map().transpose() * VectorXd::Map(load.data(), std::ssize(load));
  const std::span<const double> reduced(force.data(), static_cast<std::size_t>(force.size()));
  const Equilibrium end = candidate.cubature ? reduced_equilibrium(*candidate.cubature, reduced)
                                             : reduced_equilibrium(candidate.energy, reduced);
  row.valid = end.converged;
  row.stable = end.stable;
  const MatrixXd q = VectorXd::Map(end.solution.data(), std::ssize(end.solution));
  const VectorXd u = candidate.basis.map() * q.col(0);
  if (u.allFinite())
    row.range.inverted_elements = inverted_elements(mesh, {u.data(), static_cast<std::size_t>(u.size())});
  measure_fields(unreduced, q, candidate, row);
  row.vertex_error = vertex_error(unreduced.snapshots.displacements, q, candidate, unreduced.watched.vertex);
  return row;
}

}  // namespace quartic::cli
