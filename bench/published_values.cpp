// What accuracy costs: published equilibria beside ours, unreduced and reduced, unrelaxed and relaxed, with degrees of
// freedom and processor time per step. Prints the tables of docs/accuracy.md as markdown.
//
//     published_values [CASE]...
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "published_cases.hpp"
#include "quartic/quartic.hpp"

namespace quartic::bench {
namespace {

using Eigen::VectorXd;

constexpr int modes = 20;
constexpr std::array ranks = {6, 12, 20, 30};
constexpr std::array shares = {0.0, 0.9};

std::span<const double> span_of(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

VectorXd vector_of(const std::vector<double>& x) {
  return VectorXd::Map(x.data(), std::ssize(x));
}

/// A body that rests under loads, as a table row.
struct Row {
  std::string name;
  std::int64_t freedoms = 0;
  double step_seconds = 0;
  std::vector<std::optional<std::vector<double>>> values = {};  // per published row; none: no stable equilibrium
};

std::vector<double> read_gauges(const PublishedCase& test, const VectorXd& u) {
  std::vector<double> values;
  for (const Gauge& gauge : test.gauges) {
    double sum = 0;
    for (const std::int32_t v : gauge.vertices)
      for (std::size_t c = 0; c < 3; ++c)
        sum += gauge.direction[c] * u[3 * Eigen::Index{v} + static_cast<Eigen::Index>(c)];
    values.push_back(sum / static_cast<double>(gauge.vertices.size()));
  }
  return values;
}

// Where the body rests under a share of the load, from u on. A load that turns with the body is turned until it rests.
template <class Solve>
std::optional<VectorXd> rest_under(const PublishedCase& test, double share, const Solve& solve, const VectorXd& u) {
  constexpr int most_turns = 50;
  constexpr double still = 1e-8;
  std::optional<VectorXd> end = solve(VectorXd(share * test.load(u)), u);
  if (!test.load_turns) return end;
  for (int turn = 0; end && turn < most_turns; ++turn) {
    const VectorXd before = *end;
    end = solve(VectorXd(share * test.load(before)), before);
    if (end && (*end - before).norm() <= still * end->norm()) return end;
  }
  return std::nullopt;
}

/// Lets the load grow from one published row to the next, one that turns in short steps.
/// @param solve (force, u) where the body rests under the force, from u on; nothing if it doesn't
template <class Solve>
void load(const PublishedCase& test, const Solve& solve, Row& row) {
  constexpr double longest_step = 0.025;
  VectorXd u = VectorXd::Zero(std::ssize(test.mesh.vertices));
  double reached = 0;
  for (const PublishedRow& published : test.rows) {
    const int steps = test.load_turns ? static_cast<int>(std::ceil((published.share - reached) / longest_step)) : 1;
    std::optional<VectorXd> end = u;
    for (int step = 1; step <= steps && end; ++step)
      end = rest_under(test, reached + (published.share - reached) * step / steps, solve, *end);
    row.values.push_back(end ? std::optional(read_gauges(test, *end)) : std::nullopt);
    if (!end) continue;
    u = *end;
    reached = published.share;
  }
}

// Processor time per call, on all threads, the best of some rounds: the machine may have other work.
template <class Work>
double processor_seconds(int calls, const Work& work) {
  constexpr int rounds = 5;
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::clock();
    for (int n = 0; n < calls; ++n) work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / calls);
  }
  return best;
}

double step_length(const ReducedModel& model) {
  return 2 * std::numbers::pi / std::sqrt(model.eigenvalues.front()) / 50;
}

// ---- unreduced ----------------------------------------------------------------------------------------------------

Row unreduced_row(const PublishedCase& test, std::int64_t freedoms, double dt) {
  Row row{.name = "unreduced", .freedoms = freedoms};
  StaticSolver solver(test.mesh, test.supports, {.load_steps = 4});
  load(
      test,
      [&](const VectorXd& force, const VectorXd& u) -> std::optional<VectorXd> {
        const Equilibrium end = solver.solve(span_of(force), span_of(u));
        return end.converged && end.stable ? std::optional(vector_of(end.solution)) : std::nullopt;
      },
      row);
  UnreducedBody body(test.mesh, test.supports);
  body.step(dt);  // analyses the pattern
  row.step_seconds = processor_seconds(1, [&] { body.step(dt); });
  return row;
}

// ---- reduced ------------------------------------------------------------------------------------------------------

double reduced_step_seconds(const QuarticEnergy& energy, double dt) {
  Batch<double> one(energy, {.threads = 1, .evaluation = Evaluation::latency});
  return processor_seconds(2000, [&] { one.step(dt); });
}

Row reduced_row(const PublishedCase& test, const MatrixRef& basis, const QuarticEnergy& energy, double share,
                double dt) {
  char name[32];
  std::snprintf(name, sizeof name, "r = %d, beta %g", energy.rank, share);
  Row row{.name = name, .freedoms = energy.rank, .step_seconds = reduced_step_seconds(energy, dt)};
  VectorXd q = VectorXd::Zero(energy.rank);
  load(
      test,
      [&](const VectorXd& force, const VectorXd&) -> std::optional<VectorXd> {
        const VectorXd reduced = basis.transpose() * force;
        const Equilibrium end = reduced_equilibrium(energy, span_of(reduced), span_of(q), {.load_steps = 4});
        if (!end.converged || !end.stable) return std::nullopt;
        q = vector_of(end.solution);
        return basis * q;
      },
      row);
  return row;
}

// The leading vectors of one basis, as mass-PCA would cut it, relaxed for each rank anew.
void add_reduced_rows(const PublishedCase& test, const ElasticSystem& system, const ReducedModel& model,
                      std::vector<Row>& rows) {
  for (const int rank : ranks) {
    std::vector<int> kept(static_cast<std::size_t>(std::min(rank, model.rank())));
    std::iota(kept.begin(), kept.end(), 0);
    const QuarticEnergy energy = keep_coordinates(model.energy, kept);
    const MatrixRef basis = model.basis.map().leftCols(energy.rank);
    Relaxation relaxation = relax_strains(test.mesh, system, basis, energy);
    for (const double share : shares) {
      relaxation.share = share;
      rows.push_back(reduced_row(test, basis, relaxed(energy, relaxation), share, step_length(model)));
    }
  }
}

// ---- tables -------------------------------------------------------------------------------------------------------

std::string time_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 1e-3 ? "%.2f us" : "%.0f us", 1e6 * seconds);
  return text;
}

std::string values_text(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) {
    char number[32];
    std::snprintf(number, sizeof number, "%s%.4g", text.empty() ? "" : ", ", value);
    text += number;
  }
  return text;
}

double error_of(const std::vector<double>& values, const std::vector<double>& published) {
  return (vector_of(values) - vector_of(published)).norm() / vector_of(published).norm();
}

void print(const PublishedCase& test, const std::vector<Row>& rows) {
  std::string gauges;
  for (const Gauge& gauge : test.gauges) gauges += (gauges.empty() ? "" : ", ") + gauge.name;
  std::printf("### %s\n\n%s. Published: %s.\n\n", test.name.c_str(), test.title.c_str(), test.source.c_str());
  std::printf("| share of the load | degrees of freedom | processor time per step |");
  for (const PublishedRow& row : test.rows) std::printf(" %g | error |", row.share);
  std::printf("\n|---|---|---|");
  for (std::size_t n = 0; n < test.rows.size(); ++n) std::printf("---|---|");
  std::printf("\n| published: %s | | |", gauges.c_str());
  for (const PublishedRow& row : test.rows) std::printf(" %s | |", values_text(row.values).c_str());
  for (const Row& row : rows) {
    std::printf("\n| %s | %lld | %s |", row.name.c_str(), static_cast<long long>(row.freedoms),
                time_text(row.step_seconds).c_str());
    for (std::size_t n = 0; n < test.rows.size(); ++n)
      if (const auto& values = row.values[n])
        std::printf(" %s | %.2g %% |", values_text(*values).c_str(), 100 * error_of(*values, test.rows[n].values));
      else
        std::printf(" - | - |");
  }
  std::puts("\n");
  std::fflush(stdout);
}

void run(const PublishedCase& test) {
  const ElasticSystem system(test.mesh, test.supports);
  const ReducedModel model = reduce(test.mesh, test.supports, {.modes = modes, .rank = ranks.back()});
  std::vector<Row> rows = {unreduced_row(test, system.free_dof_count(), step_length(model))};
  add_reduced_rows(test, system, model, rows);
  print(test, rows);
}

}  // namespace
}  // namespace quartic::bench

int main(int argument_count, char** arguments) {
  using namespace quartic::bench;
  const std::set<std::string> names(arguments + 1, arguments + argument_count);
  try {
    for (const PublishedCase& test : published_cases())
      if (names.empty() || names.contains(test.name)) run(test);
  } catch (const quartic::Error& error) {
    std::fprintf(stderr, "published_values: %s\n", error.what());
    return 1;
  }
}
