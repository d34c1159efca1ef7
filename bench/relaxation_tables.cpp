// How much relaxed strains help, on ten bodies under 21 loads each that nothing was fitted to: a table in markdown, a
// row per body and size, and one of all. The single loads' ratios go to stderr, for whoever runs bodies apart.
//
//     relaxation_tables [BODY]...
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "measure/timing.hpp"
#include "quartic/quartic.hpp"
#include "tested_bodies.hpp"

namespace quartic::bench {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array shares = {0.5, 0.75, 0.9, 1.0};
constexpr double useful_error = 0.3;  // of the unrelaxed model: beyond it none is of use
constexpr double no_equilibrium = 10;

struct Size {
  int modes, rank;
};
constexpr std::array sizes = {Size{6, 12}, Size{20, 20}};

std::span<const double> span_of(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// The unreduced body's equilibrium under a load.
struct Answer {
  VectorXd force, u, mass_u;
};

// Those that exist, without inverted elements. Each pattern grows from one amplitude to the next.
std::vector<Answer> answers_to(const ProceduralMesh& shape, const SparseMatrix& mass, const MatrixXd& loads) {
  StaticSolver solver(shape.mesh, shape.fixed_vertices, {.load_steps = 2, .tolerance = 1e-8});
  std::vector<Answer> answers;
  VectorXd u = VectorXd::Zero(loads.rows());
  for (Index n = 0; n < loads.cols(); ++n) {
    if (n % test_amplitudes == 0) u.setZero();
    const VectorXd force = loads.col(n);
    const Equilibrium end = solver.solve(span_of(force), span_of(u));
    u = VectorXd::Map(end.solution.data(), std::ssize(end.solution));
    if (end.converged && end.stable && inverted_elements(shape.mesh, end.solution) == 0)
      answers.push_back({force, u, mass.map() * u});
  }
  return answers;
}

// In the mass norm.
double error_of(const QuarticEnergy& energy, const MatrixRef& basis, const Answer& answer) {
  const VectorXd force = basis.transpose() * answer.force;
  const Equilibrium end = reduced_equilibrium(energy, span_of(force), {}, {.load_steps = 3});
  if (!end.converged || !end.stable) return no_equilibrium;
  const VectorXd p = basis.transpose() * answer.mass_u, q = VectorXd::Map(end.solution.data(), p.size());
  const double size = answer.u.dot(answer.mass_u);
  return std::sqrt((std::max(0.0, size - p.squaredNorm()) + (p - q).squaredNorm()) / size);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? std::nan("") : measure::percentile(values, 0.5);
}

/// Errors over the unrelaxed model's, by load.
using Ratios = std::vector<double>;

std::string ratio_text(Ratios ratios) {
  if (ratios.empty()) return "- | - | -";
  double logs = 0;
  for (const double ratio : ratios) logs += std::log(ratio);
  std::sort(ratios.begin(), ratios.end());
  char text[64];
  std::snprintf(text, sizeof text, "%.2f | %.2f | %.2f", std::exp(logs / static_cast<double>(ratios.size())),
                measure::percentile(ratios, 0.95), ratios.back());
  return text;
}

// The share that 16 loads of the library's own choose.
Relaxation calibrated(const ProceduralMesh& shape, const SparseMatrix& mass, const ReducedModel& model,
                      const QuarticEnergy& whole, const Relaxation& relaxation) {
  std::vector<std::string> warnings;
  return choose_share(shape.mesh, shape.fixed_vertices, mass, model.basis.map(), whole, relaxation, {}, warnings);
}

void run(const TestedBody& body, std::map<std::string, Ratios>& all) {
  const SparseMatrix mass = mass_matrix(body.shape.mesh);
  std::vector<Answer> answers;
  for (const auto& [modes, rank] : sizes) {
    const ReducedModel model =
        reduce(body.shape.mesh, body.shape.fixed_vertices, {.modes = modes, .rank = rank, .relax = {.share = 0}});
    if (answers.empty())
      answers = answers_to(body.shape, mass, test_loads(body.shape, model.linear_modes.map().col(0)));
    std::vector<double> errors;
    std::vector<const Answer*> used;
    for (const Answer& answer : answers)
      if (const double error = error_of(model.energy, model.basis.map(), answer); error < useful_error) {
        errors.push_back(error);
        used.push_back(&answer);
      }
    std::printf("| %s | %d | %zu | %.3g %% |", body.name.c_str(), rank, used.size(), 100 * median(errors));
    const auto judge = [&](const std::string& name, const Relaxation& relaxation) {
      const QuarticEnergy energy = relaxed(model.energy, relaxation);
      Ratios ratios;
      for (std::size_t n = 0; n < used.size(); ++n) {
        ratios.push_back(error_of(energy, model.basis.map(), *used[n]) / errors[n]);
        std::fprintf(stderr, "%s, rank %d, %s: %.4f\n", body.name.c_str(), rank, name.c_str(), ratios.back());
      }
      std::printf(" %s |", ratio_text(ratios).c_str());
      all[name].insert(all[name].end(), ratios.begin(), ratios.end());
    };
    Relaxation relaxation = *model.relaxation;
    for (const double share : shares) {
      relaxation.share = share;
      judge(std::to_string(share), relaxation);
    }
    const Relaxation chosen = calibrated(body.shape, mass, model, model.energy, relaxation);
    judge("automatic", chosen);
    std::printf(" %.2f |\n", chosen.share);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace quartic::bench

int main(int argument_count, char** arguments) {
  using namespace quartic::bench;
  const std::set<std::string> names(arguments + 1, arguments + argument_count);
  std::map<std::string, Ratios> all;
  try {
    std::printf("Error over the unrelaxed model's: geometric mean, 95th percentile, worst.\n\n");
    std::printf("| body | rank | loads | median, unrelaxed |");
    for (const double share : shares) std::printf(" %g | p95 | worst |", share);
    std::printf(" automatic | p95 | worst | share |\n|---|---|---|---|");
    for (std::size_t n = 0; n < 3 * shares.size() + 4; ++n) std::printf("---|");
    std::puts("");
    for (const TestedBody& body : tested_bodies())
      if (names.empty() || names.contains(body.name)) run(body, all);
    std::printf("| all | | %zu | |", all["automatic"].size());
    for (const double share : shares) std::printf(" %s |", ratio_text(all[std::to_string(share)]).c_str());
    std::printf(" %s | |\n", ratio_text(all["automatic"]).c_str());
  } catch (const quartic::Error& error) {
    std::fprintf(stderr, "relaxation_tables: %s\n", error.what());
    return 1;
  }
}
