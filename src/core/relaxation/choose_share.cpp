// The share to relax, by loads whose equilibria the unreduced body tells.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/algebra/dense.hpp"
#include "core/algebra/normal_numbers.hpp"
#include "core/algebra/sparse_product.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/relaxation/modal_loads.hpp"
#include "core/relaxation/relaxation_check.hpp"
#include "quartic/error.hpp"
#include "quartic/statics.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array<double, 10> shares = {0, 0.25, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95};
constexpr std::array<double, 4> calibrated_amplitudes = {0.1, 0.2, 0.4, 0.8};
constexpr Index calibrated_modes = 6;
constexpr std::uint64_t calibration_seed = 11;
// Of the unrelaxed model: beyond it the load isn't the basis'.
constexpr double useful_error = 0.3;
// Where a reduced body finds no equilibrium.
constexpr double no_equilibrium_error = 10;
constexpr double slack = 1.05;
// Of a load's errors: a gain in the mean may hide such a loss.
constexpr double worst_ratio = 2;
constexpr int least_loads = 3;

std::span<const double> span_of(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// A load with its equilibrium of the unreduced body, seen in the basis.
struct Answer {
  CalibrationLoad load = {};
  VectorXd force;      // reduced
  VectorXd part = {};  // p = U^T M u
  double size = 0;     // |u|_M
  double outside = 0;  // |u|_M^2 - |p|^2
};

class Calibration {
 public:
  Calibration(const VolumeMesh& mesh, const Supports& supports, const SparseMatrix& mass, const MatrixRef& basis,
              const QuarticEnergy& energy)
      : mesh_(mesh),
        basis_(basis),
        mass_basis_(sparse_times(mass, basis)),
        mass_(mass),
        energy_(energy),
        modal_(mesh.vertices, basis, energy, calibrated_modes),
        solver_(mesh, supports) {}

  // The force of modal load number c: four along the first two modes mostly, both ways, the others in any direction.
  [[nodiscard]] MatrixXd modal_loads(Index count) const {
    NormalNumbers random(calibration_seed);
    MatrixXd loads(mass_basis_.rows(), count);
    for (Index c = 0; c < count; ++c) {
      VectorXd z = random.vector(modal_.modes());
      if (c < 4) {
        z *= 0.15;
        z[std::min(c / 2, modal_.modes() - 1)] += c % 2 == 0 ? 1 : -1;
      }
      loads.col(c) =
          mass_basis_ *
          modal_.force(z, calibrated_amplitudes[static_cast<std::size_t>(c / 2 + c) % calibrated_amplitudes.size()]);
    }
    return loads;
  }

  // @param relaxed_energy whose equilibrium is closer to start from
  [[nodiscard]] Answer answer_to(const VectorXd& load, const QuarticEnergy& relaxed_energy) {
    Answer answer{.force = basis_.transpose() * load};
    VectorXd linear = answer.force;
    const std::vector<double> rest(static_cast<std::size_t>(energy_.rank));
    if (const auto factor = dense::cholesky(evaluate(energy_, rest).stiffness.map())) factor->solve(linear);
    answer.load.amplitude = modal_.amplitude(basis_ * linear);
    answer.load.use = CalibrationUse::no_equilibrium;
    const Equilibrium reduced = equilibrium(relaxed_energy, answer.force);
    const VectorXd start = basis_ * VectorXd::Map(reduced.solution.data(), energy_.rank);
    const Equilibrium end = solver_.solve(span_of(load), span_of(start));
    if (!end.converged || !end.stable) return answer;
    if (inverted_elements(mesh_, end.solution) > 0) {
      answer.load.use = CalibrationUse::inverted;
      return answer;
    }
    const VectorXd u = VectorXd::Map(end.solution.data(), std::ssize(end.solution));
    answer.part = mass_basis_.transpose() * u;
    const double square = u.dot(sparse_times(mass_, u).col(0));
    answer.size = std::sqrt(square);
    answer.outside = std::max(0.0, square - answer.part.squaredNorm());
    answer.load.use = CalibrationUse::used;
    return answer;
  }

  [[nodiscard]] static Equilibrium equilibrium(const QuarticEnergy& energy, const VectorXd& force) {
    return reduced_equilibrium(energy, span_of(force), {}, {.load_steps = 2});
  }

  // Of the reduced equilibrium, relative, in the mass norm.
  [[nodiscard]] static double error_of(const QuarticEnergy& energy, const Answer& answer) {
    const Equilibrium end = equilibrium(energy, answer.force);
    if (!end.converged || !end.stable) return no_equilibrium_error;
    const VectorXd q = VectorXd::Map(end.solution.data(), answer.part.size());
    return std::sqrt(answer.outside + (answer.part - q).squaredNorm()) / answer.size;
  }

 private:
  const VolumeMesh& mesh_;
  MatrixRef basis_;
  MatrixXd mass_basis_;  // M U
  const SparseMatrix& mass_;
  const QuarticEnergy& energy_;
  ModalLoads modal_;
  StaticSolver solver_;
};

QuarticEnergy with_share(const QuarticEnergy& energy, Relaxation& relaxation, double share) {
  relaxation.share = share;
  return relaxed(energy, relaxation);
}

// Errors by load (row) and share (column), of those that are used.
MatrixXd errors_of(const QuarticEnergy& energy, Relaxation& relaxation, const std::vector<Answer*>& answers) {
  MatrixXd errors(std::ssize(answers), std::ssize(shares));
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const QuarticEnergy there = with_share(energy, relaxation, shares[k]);
    for (std::size_t n = 0; n < answers.size(); ++n)
      errors(static_cast<Index>(n), static_cast<Index>(k)) = Calibration::error_of(there, *answers[n]);
  }
  return errors;
}

// The first share whose geometric mean of errors over the unrelaxed ones is nearly the least, of the shares that make
// no load's error worse than twice; 0 if that is no gain.
std::size_t choose(const MatrixXd& errors) {
  constexpr double least = 1e-12;  // errors below it are round-off
  const Eigen::ArrayXXd known = errors.array().max(least), ratios = known.colwise() / known.col(0);
  VectorXd means = ratios.log().colwise().mean().exp();
  for (Index k = 0; k < means.size(); ++k)
    if (ratios.col(k).maxCoeff() > worst_ratio) means[k] = std::numeric_limits<double>::infinity();
  if (means.minCoeff() >= 1) return 0;
  std::size_t first = 0;
  while (means[static_cast<Index>(first)] > slack * means.minCoeff()) ++first;
  return first;
}

void require_sizes(const VolumeMesh& mesh, const SparseMatrix& mass, const MatrixRef& basis,
                   const QuarticEnergy& energy, const CalibrationOptions& options) {
  check(energy);
  const auto dofs = std::ssize(mesh.vertices);
  if (basis.rows() != dofs || basis.cols() != energy.rank || mass.rows != dofs)
    throw InputError("mesh, mass matrix, basis and energy don't fit together");
  if (options.loads_in_all < 1) throw InputError("a calibration needs at least one load");
  if (options.loads.cols > 0 && options.loads.rows != dofs)
    throw InputError("the loads have " + std::to_string(options.loads.rows) + " rows, but the mesh has " +
                     std::to_string(mesh.vertex_count()) + " vertices, three rows each");
}

MatrixXd all_loads(const Calibration& calibration, const CalibrationOptions& options) {
  const Index own = options.loads.cols, modal = std::max<Index>(0, options.loads_in_all - own);
  const MatrixXd made = calibration.modal_loads(modal);
  MatrixXd loads(made.rows(), own + modal);
  if (own > 0) loads.leftCols(own) = options.loads.map();
  loads.rightCols(modal) = made;
  return loads;
}

// Of all loads, with the unrelaxed errors of those that can be used.
std::vector<Answer> answers_to(Calibration& calibration, const QuarticEnergy& energy, Relaxation& relaxation,
                               const CalibrationOptions& options) {
  constexpr double likely_share = 0.75;
  const QuarticEnergy likely = with_share(energy, relaxation, likely_share);
  const MatrixXd loads = all_loads(calibration, options);
  std::vector<Answer> answers;
  for (Index c = 0; c < loads.cols(); ++c) {
    if (options.progress) options.progress("calibration", static_cast<double>(c) / static_cast<double>(loads.cols()));
    Answer& answer = answers.emplace_back(calibration.answer_to(loads.col(c), likely));
    if (answer.load.use != CalibrationUse::used) continue;
    answer.load.unrelaxed_error = answer.load.relaxed_error = Calibration::error_of(energy, answer);
    if (answer.load.unrelaxed_error >= useful_error) answer.load.use = CalibrationUse::outside_of_basis;
  }
  return answers;
}

// Notes share, reach and relaxed errors. @return whether anything is gained
bool calibrate(const QuarticEnergy& energy, const std::vector<Answer*>& used, Relaxation& relaxation) {
  const MatrixXd errors = errors_of(energy, relaxation, used);
  const std::size_t chosen = choose(errors);
  const QuarticEnergy there = with_share(energy, relaxation, shares[chosen]);
  relaxation.reach = 0;
  for (std::size_t n = 0; n < used.size(); ++n) {
    used[n]->load.relaxed_error = errors(static_cast<Index>(n), static_cast<Index>(chosen));
    const Equilibrium end = Calibration::equilibrium(there, used[n]->force);
    relaxation.reach = std::max(relaxation.reach, linear_energy(energy, end.solution));
  }
  return chosen > 0;
}

}  // namespace

Relaxation choose_share(const VolumeMesh& mesh, const Supports& supports, const SparseMatrix& mass, MatrixRef basis,
                        const QuarticEnergy& energy, Relaxation relaxation, const CalibrationOptions& options,
                        std::vector<std::string>& warnings) {
  require_sizes(mesh, mass, basis, energy, options);
  check(relaxation, energy.rank);
  Calibration calibration(mesh, supports, mass, basis, energy);
  std::vector<Answer> answers = answers_to(calibration, energy, relaxation, options);
  std::vector<Answer*> used;
  for (Answer& answer : answers)
    if (answer.load.use == CalibrationUse::used) used.push_back(&answer);
  relaxation.share = 0;
  if (std::ssize(used) < least_loads)
    warnings.push_back("strains aren't relaxed: only " + std::to_string(used.size()) + " of " +
                       std::to_string(answers.size()) +
                       " loads can be used to calibrate the share; give one (--relax 0.75), or loads that the body is "
                       "for (--relax-loads)");
  else if (!calibrate(energy, used, relaxation))
    warnings.emplace_back("strains aren't relaxed: no share makes the errors under the calibration's loads smaller");
  relaxation.calibration.clear();
  for (const Answer& answer : answers) relaxation.calibration.push_back(answer.load);
  return relaxation;
}

}  // namespace quartic
