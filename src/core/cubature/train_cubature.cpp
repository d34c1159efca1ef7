// Training: states, rows of the points' forces in the metric of K(0), the choice of points, and a report on fresh
// states.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/algebra/dense.hpp"
#include "core/algebra/normal_numbers.hpp"
#include "core/base/memory.hpp"
#include "core/base/thread_pool.hpp"
#include "core/cubature/cubature_report.hpp"
#include "core/cubature/mesh_points.hpp"
#include "core/cubature/sparse_least_squares.hpp"
#include "core/cubature/training_states.hpp"
#include "core/energy/cubature.hpp"
#include "core/laws/law_at_point.hpp"
#include "quartic/cubature_training.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array<std::string_view, 3> states_names = {"mixed", "static", "lift"};
constexpr std::uint64_t fresh_seed = 0x5eed;  // added to the seed for states that weren't trained on

void check_training(const CubatureOptions& o) {
  const auto require = [](bool good, const std::string& what) {
    if (!good) throw InputError("the training of a cubature needs " + what);
  };
  require(o.tolerance > 0 && o.tolerance < 1, "a tolerance between 0 and 1");
  require(o.points >= 0, "at least one point, or 0 for as many as the tolerance takes");
  require(o.samples >= 4 && o.fresh_samples >= 4, "at least 4 states to train on, and as many fresh ones");
  require(o.amplitude > 0 && std::isfinite(o.amplitude), "an amplitude above 0");
  require(o.candidates >= 1, "at least one candidate");
  require(static_cast<std::size_t>(o.states) < states_names.size(), "one of TrainingStates");
  require(control_variate_name(o.base) != "unknown", "one of ControlVariate");
  require(o.tangent == LawTangent::exact || o.tangent == LawTangent::projected, "one of LawTangent");
}

double diagonal_of(const VolumeMesh& mesh) {
  const auto points = Eigen::Matrix3Xd::Map(mesh.vertices.data(), 3, mesh.vertex_count());
  return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
}

std::vector<VectorXd> training_states(const StateSource& source, const CubatureOptions& o) {
  const int lifted = o.states == TrainingStates::lift    ? o.samples
                     : o.states == TrainingStates::mixed ? o.samples / 2
                                                         : 0;
  std::vector<VectorXd> states;
  if (lifted < o.samples) states = static_states(source, o.samples - lifted, o.progress);
  if (states.empty() && lifted < o.samples)
    throw NumericalError(
        "no load that a cubature would be trained on has an equilibrium; take a smaller amplitude, or the states "
        "'lift'");
  if (lifted > 0) {
    const std::vector<VectorXd> more = lifted_states(source, lifted, o.progress);
    states.insert(states.end(), more.begin(), more.end());
  }
  return states;
}

/// Every n-th point where there are more than candidates.
std::vector<Index> candidates_of(std::int64_t points, std::int64_t most) {
  std::vector<Index> chosen;
  const std::int64_t stride = (points + most - 1) / most;
  for (std::int64_t p = 0; p < points; p += stride) chosen.push_back(p);
  return chosen;
}

/// The rows of one state, or of K along a direction at it.
class StateRows {
 public:
  StateRows(const Cubature& all, const std::vector<Index>& candidates, const dense::Eigenpairs& modes)
      : all_(all), candidates_(candidates), roots_(modes.values.cwiseSqrt()), vectors_(modes.vectors) {}

  [[nodiscard]] Index rank() const { return roots_.size(); }
  [[nodiscard]] VectorXd random_direction(std::uint64_t seed) const {
    return to_displacements(NormalNumbers(seed).vector(rank()));
  }

  /// Forces of points at q, or their change along `direction`, relative to the size of the whole.
  void set(const VectorXd& q, const VectorXd* direction, Eigen::Ref<MatrixXd> rows, Eigen::Ref<VectorXd> sum) const {
    const ReducedForces whole = evaluate(all_, {q.data(), static_cast<std::size_t>(q.size())});
    VectorXd total = VectorXd::Map(whole.force.data(), rank());
    if (direction != nullptr) total = whole.stiffness.map() * *direction;
    const double size = in_metric(total).norm();
    sum.setZero();
    Index next = 0;
    VectorXd own(rank());
    for (Index p = 0; p < all_.count(); ++p) {
      add_point(p, q, direction, own);
      own = in_metric(own) / size;
      sum += own;
      if (std::cmp_less(next, candidates_.size()) && candidates_[static_cast<std::size_t>(next)] == p)
        rows.col(next++) = own;
    }
  }

 private:
  // |L^-1 f|, L L^T = K(0), with the root Q diag(sqrt(l)) for L.
  [[nodiscard]] VectorXd in_metric(const VectorXd& f) const { return (vectors_.transpose() * f).cwiseQuotient(roots_); }
  [[nodiscard]] VectorXd to_displacements(const VectorXd& z) const { return vectors_ * z.cwiseQuotient(roots_); }

  void add_point(Index p, const VectorXd& q, const VectorXd* direction, VectorXd& result) const {
    using Gradients = Eigen::Map<const Eigen::Matrix<double, 9, Eigen::Dynamic, Eigen::RowMajor>>;
    const auto point = static_cast<std::size_t>(p);
    const Gradients gradients(all_.gradients.data() + 9 * p * rank(), 9, rank());
    const Eigen::Vector<double, 9> a = gradients * q;
    Eigen::Vector<double, 9> response;
    double c[45];
    point_response(all_, all_.materials[point], a.data(), response.data(), direction != nullptr ? c : nullptr);
    if (direction != nullptr) {
      const Eigen::Vector<double, 9> change = gradients * *direction;
      for (int n = 0; n < 9; ++n) {
        response[n] = 0;
        for (int m = 0; m < 9; ++m) response[n] += c[packed(std::min(n, m), std::max(n, m))] * change[m];
      }
    }
    result.noalias() = all_.volumes[point] * (gradients.transpose() * response);
  }

  const Cubature& all_;
  const std::vector<Index>& candidates_;
  VectorXd roots_;
  MatrixXd vectors_;
};

struct System {
  MatrixXd rows;
  VectorXd sums;
};

System system_of(const Cubature& all, const std::vector<VectorXd>& states, const std::vector<Index>& candidates,
                 const CubatureOptions& o) {
  const StateRows rows(all, candidates, dense::symmetric_eigen(all.stiffness.map()));
  const Index blocks = o.tangent_rows ? 2 : 1, size = blocks * rows.rank();
  require_memory(
      8.0 * static_cast<double>(states.size()) * static_cast<double>(size) *
          (static_cast<double>(candidates.size()) + 1),
      "the forces of " + std::to_string(candidates.size()) + " points in " + std::to_string(states.size()) + " states",
      "take fewer candidates or samples, a smaller rank, or a coarser mesh");
  System system{MatrixXd(std::ssize(states) * size, std::ssize(candidates)), VectorXd(std::ssize(states) * size)};
  parallel_for(std::ssize(states), [&](std::int64_t n) {
    const VectorXd& q = states[static_cast<std::size_t>(n)];
    const auto set = [&](Index block, const VectorXd* direction) {
      const Index first = n * size + block * rows.rank();
      rows.set(q, direction, system.rows.middleRows(first, rows.rank()), system.sums.segment(first, rows.rank()));
    };
    set(0, nullptr);
    if (!o.tangent_rows) return;
    const VectorXd direction = rows.random_direction(o.seed + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(n + 1));
    set(1, &direction);
  });
  return system;
}

std::string number(double x) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(3);
  text << x;
  return text.str();
}

// @param blocks of rows, each of which is relative to its whole force: the control variate's part, too
SparseFit choose_points(const System& system, Index blocks, const CubatureOptions& o) {
  const double whole = std::sqrt(static_cast<double>(blocks));
  if (!(system.sums.norm() > 1e-13 * whole)) return {};  // V_0 is all there is, as with StVK
  const Index most = o.points > 0 ? o.points : system.rows.cols();
  const double tolerance = o.points > 0 ? 0 : o.tolerance;
  SparseFit fit = fit_sparsely(
      system.rows, system.sums,
      {.most_columns = most, .tolerance = tolerance, .whole = whole, .progress = [&](double residual, Index n) {
         if (!o.progress) return;
         const double done =
             o.points > 0 ? static_cast<double>(n) / o.points : std::log(residual) / std::log(tolerance);
         o.progress("cubature points", std::clamp(done, 0.0, 1.0));
       }});
  if (o.points == 0 && fit.residual > o.tolerance)
    throw NumericalError("the cubature's tolerance of " + number(o.tolerance) + " is out of reach: with the best " +
                         std::to_string(fit.columns.size()) + " points the error is " + number(fit.residual) +
                         "; take a larger tolerance, more candidates or fewer states");
  return fit;
}

// All points, with a stiffness that training can measure by.
Cubature all_for_training(const PreparedMesh& mesh, const MatrixRef& basis, ControlVariate base) {
  require_cubature_basis(mesh, basis);
  Cubature all = points_of(mesh, basis, all_points(mesh.mesh()));
  set_base(mesh, basis, base, all);
  const VectorXd stiffness = dense::symmetric_eigen(all.stiffness.map()).values;
  if (!(stiffness.minCoeff() > 1e-12 * stiffness.maxCoeff()))
    throw InputError(
        "the basis has motions without stiffness, such as rigid ones; a cubature is trained on a basis without them");
  return all;
}

StateSource source_of(const Cubature& all, const MatrixRef& basis, const VolumeMesh& mesh, const CubatureOptions& o,
                      std::uint64_t seed) {
  return {.all = all, .basis = basis, .size = o.amplitude * diagonal_of(mesh), .seed = seed};
}

// With the exact tangent, whatever the cubature's is.
CubatureReport judge(Cubature cubature, const Cubature& all, const MatrixRef& basis, const VolumeMesh& mesh,
                     const CubatureOptions& o) {
  cubature.tangent = LawTangent::exact;
  const std::vector<VectorXd> fresh =
      static_states(source_of(all, basis, mesh, o, o.seed + fresh_seed), o.fresh_samples, o.progress);
  if (fresh.empty())
    throw NumericalError("no load that a cubature would be judged by has an equilibrium; take a smaller amplitude");
  return report_on(cubature, all, fresh, o.progress);
}

// The chosen points alone.
Cubature selection(const Cubature& all, const SparseFit& fit, const std::vector<Index>& candidates) {
  Cubature result;
  result.rank = all.rank;
  result.base = all.base;
  result.stiffness = all.stiffness;
  result.base_energy = all.base_energy;
  const auto size = static_cast<std::size_t>(9 * all.rank);
  for (std::size_t n = 0; n < fit.columns.size(); ++n) {
    const auto p = static_cast<std::size_t>(candidates[static_cast<std::size_t>(fit.columns[n])]);
    result.points.push_back(all.points[p]);
    result.weights.push_back(fit.weights[static_cast<Index>(n)]);
    result.volumes.push_back(all.volumes[p]);
    result.materials.push_back(all.materials[p]);
    const auto first = all.gradients.begin() + static_cast<std::ptrdiff_t>(p * size);
    result.gradients.insert(result.gradients.end(), first, first + static_cast<std::ptrdiff_t>(size));
  }
  return result;
}

}  // namespace

std::string_view training_states_name(TrainingStates states) {
  const auto n = static_cast<std::size_t>(states);
  return n < states_names.size() ? states_names[n] : "unknown";
}

TrainingStates find_training_states(std::string_view name) {
  const auto found = std::ranges::find(states_names, name);
  if (found == states_names.end())
    throw InputError("there are no training states '" + std::string(name) + "'; there are mixed, static and lift");
  return static_cast<TrainingStates>(found - states_names.begin());
}

Cubature train_cubature(const VolumeMesh& mesh, MatrixRef basis, const CubatureOptions& options) {
  check_training(options);
  const PreparedMesh prepared(mesh);
  const Cubature all = all_for_training(prepared, basis, options.base);
  const std::vector<VectorXd> states = training_states(source_of(all, basis, mesh, options, options.seed), options);
  const std::vector<Index> candidates = candidates_of(all.count(), options.candidates);
  SparseFit fit;
  {
    const System system = system_of(all, states, candidates, options);
    fit = choose_points(system, system.sums.size() / all.rank, options);
  }
  Cubature result = selection(all, fit, candidates);
  CubatureReport report = judge(result, all, basis, mesh, options);
  report.residual = fit.residual;
  report.tolerance = options.points > 0 ? 0 : options.tolerance;
  report.seed = options.seed;
  result.report = report;
  result.tangent = options.tangent;
  return result;
}

CubatureReport judge_cubature(const VolumeMesh& mesh, MatrixRef basis, const Cubature& cubature,
                              const CubatureOptions& options) {
  check_training(options);
  check_cubature(cubature);
  const PreparedMesh prepared(mesh);
  const Cubature all = all_for_training(prepared, basis, cubature.base);
  if (cubature.rank != all.rank)
    throw InputError("the cubature is of rank " + std::to_string(cubature.rank) + ", but the basis has " +
                     std::to_string(all.rank) + " columns");
  CubatureReport report = judge(cubature, all, basis, mesh, options);
  if (cubature.report) {  // how it was trained
    report.residual = cubature.report->residual;
    report.tolerance = cubature.report->tolerance;
    report.seed = cubature.report->seed;
  }
  return report;
}

}  // namespace quartic
