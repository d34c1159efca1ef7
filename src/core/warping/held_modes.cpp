// Newmark steps of modal bodies under position constraints.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/algebra/dense.hpp"
#include "core/warping/warp_checks.hpp"
#include "quartic/position_constraints.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rank_limit = 1e-10;  // of the largest eigenvalue: what constraints can't tell apart

void require_options(const HeldModesOptions& o) {
  const auto require = [](bool sound, const char* what) {
    if (!sound) throw InputError(what);
  };
  require(o.bodies >= 1, "there must be at least one body");
  require(std::isfinite(o.rayleigh_mass) && o.rayleigh_mass >= 0, "rayleigh_mass must be a finite number >= 0");
  require(std::isfinite(o.rayleigh_stiffness) && o.rayleigh_stiffness >= 0,
          "rayleigh_stiffness must be a finite number >= 0");
  require(std::isfinite(o.newmark_beta) && o.newmark_beta > 0, "newmark_beta must be a finite number > 0");
  require(std::isfinite(o.newmark_gamma) && o.newmark_gamma >= 0.5, "newmark_gamma must be a finite number >= 1/2");
  require(o.iterations >= 1, "there must be at least one iteration");
  require(std::isfinite(o.tolerance) && o.tolerance >= 0, "the tolerance must be a finite number >= 0");
}

/// The least solution of S mu = r for a symmetric S >= 0, on its range, and the range's dimension.
std::int64_t solve_on_range(const MatrixXd& s, VectorXd& r) {
  const dense::Eigenpairs pairs = dense::symmetric_eigen(s);
  const double least = rank_limit * pairs.values.cwiseAbs().maxCoeff();
  VectorXd parts = pairs.vectors.transpose() * r;
  std::int64_t rank = 0;
  for (Eigen::Index i = 0; i < parts.size(); ++i) {
    const bool kept = pairs.values[i] > least;
    parts[i] = kept ? parts[i] / pairs.values[i] : 0;
    rank += kept ? 1 : 0;
  }
  r = pairs.vectors * parts;
  return rank;
}

/// The vertices that are held, and by what force.
struct Hold {
  std::vector<std::int32_t> vertices;
  VectorXd targets;
  std::vector<double> force;
};

}  // namespace

struct HeldModes::Impl {
  VectorXd lambda, damping;
  ModalWarp warp;
  HeldModesOptions options;
  MatrixXd q, velocity, acceleration, force;  // shape (k, B)
  std::vector<Hold> holds;
  std::vector<HoldStatus> status;

  Impl(std::span<const double> eigenvalues, ModalWarp shown, const HeldModesOptions& chosen)
      : warp(std::move(shown)), options(chosen) {
    require_options(options);
    warping::require_rank(warp, std::ssize(eigenvalues));
    if (!std::ranges::all_of(eigenvalues, [](double x) { return std::isfinite(x) && x >= 0; }))
      throw InputError("eigenvalues must be finite numbers >= 0");
    lambda = VectorXd::Map(eigenvalues.data(), std::ssize(eigenvalues));
    damping = options.rayleigh_mass + options.rayleigh_stiffness * lambda.array();
    for (MatrixXd* part : {&q, &velocity, &acceleration, &force}) part->setZero(lambda.size(), options.bodies);
    holds.resize(static_cast<std::size_t>(options.bodies));
    status.resize(holds.size());
  }

  [[nodiscard]] StateView<double> view(MatrixXd& part) const {
    return {part.data(), part.rows(), part.cols(), 1, part.rows()};
  }

  [[nodiscard]] VectorXd shown(const Hold& hold, const VectorXd& at) const {
    VectorXd u(hold.targets.size());
    for (std::size_t v = 0; v < hold.vertices.size(); ++v)
      warp.displacements<double>({at.data(), at.size(), 1, 1, at.size()}, {&hold.vertices[v], 1},
                                 std::span(u.data() + 3 * v, 3));
    return u;
  }

  void step(std::int64_t body, double h) {
    const double share = options.newmark_beta * h * h, gamma = options.newmark_gamma;
    HoldStatus& state = status[static_cast<std::size_t>(body)];
    if (state.diverged) return;
    const VectorXd before = acceleration.col(body);
    const VectorXd q0 = q.col(body) + h * velocity.col(body) + (h * h / 2 - share) * before;
    const VectorXd v0 = velocity.col(body) + (1 - gamma) * h * before;
    const VectorXd b = force.col(body) - damping.cwiseProduct(v0) - lambda.cwiseProduct(q0);
    const VectorXd a = (1 + gamma * h * damping.array() + share * lambda.array()).matrix();
    VectorXd after = b.cwiseQuotient(a);
    state = {};
    Hold& hold = holds[static_cast<std::size_t>(body)];
    if (!hold.vertices.empty()) iterate(body, hold, q0, b, a, share, after, state);
    const VectorXd moved = q0 + share * after, speed = v0 + gamma * h * after;
    state.diverged = !moved.allFinite() || !speed.allFinite() || !after.allFinite();
    if (state.diverged) {
      state.converged = false;
      return;
    }
    q.col(body) = moved;
    velocity.col(body) = speed;
    acceleration.col(body) = after;
  }

  // Newton's method on the targets; one iteration starts from the predictor, several from the last state.
  void iterate(std::int64_t body, Hold& hold, const VectorXd& q0, const VectorXd& b, const VectorXd& a, double share,
               VectorXd& after, HoldStatus& state) const {
    VectorXd at = options.iterations == 1 ? q0 : VectorXd(q.col(body)), u = shown(hold, at), multiplier;
    double before = std::numeric_limits<double>::infinity();
    while (state.iterations < options.iterations && u.allFinite()) {
      const Matrix made = warp.jacobian({at.data(), static_cast<std::size_t>(at.size())}, hold.vertices);
      const MatrixXd jacobian = made.map(), scaled = share * jacobian;
      const MatrixXd by_mass = scaled * a.cwiseInverse().asDiagonal();
      multiplier = by_mass * b - (hold.targets - u) - jacobian * (at - q0);
      state.rank = solve_on_range(by_mass * scaled.transpose(), multiplier);
      after = (b - scaled.transpose() * multiplier).cwiseQuotient(a);
      at = q0 + share * after;
      u = shown(hold, at);
      ++state.iterations;
      state.distance = largest_distance(hold.targets - u);
      if (state.distance <= options.tolerance || state.distance > before / 2) break;
      before = state.distance;
    }
    const double roundoff = 1e-12 * hold.targets.cwiseAbs().maxCoeff();
    state.converged = state.distance <= std::max(options.tolerance, roundoff);
    hold.force.resize(static_cast<std::size_t>(hold.targets.size()));
    if (multiplier.size() > 0) VectorXd::Map(hold.force.data(), multiplier.size()) = -share * multiplier;
  }

  static double largest_distance(const VectorXd& from) {
    double largest = 0;
    for (Eigen::Index v = 0; v < from.size(); v += 3) {
      const double distance = from.segment<3>(v).norm();
      if (!(distance <= largest)) largest = distance;
    }
    return largest;
  }

  void require_body(std::int64_t body) const {
    if (body < 0 || body >= options.bodies)
      throw InputError("there is no body " + std::to_string(body) + ": there are bodies 0 .. " +
                       std::to_string(options.bodies - 1));
  }
};

HeldModes::HeldModes(std::span<const double> eigenvalues, ModalWarp warp, const HeldModesOptions& options)
    : impl_(std::make_unique<Impl>(eigenvalues, std::move(warp), options)) {}
HeldModes::HeldModes(HeldModes&&) noexcept = default;
HeldModes& HeldModes::operator=(HeldModes&&) noexcept = default;
HeldModes::~HeldModes() = default;

const ModalWarp& HeldModes::warp() const {
  return impl_->warp;
}
StateView<double> HeldModes::q() {
  return impl_->view(impl_->q);
}
StateView<double> HeldModes::velocity() {
  return impl_->view(impl_->velocity);
}
StateView<double> HeldModes::acceleration() {
  return impl_->view(impl_->acceleration);
}
StateView<double> HeldModes::force() {
  return impl_->view(impl_->force);
}

void HeldModes::hold(std::int64_t body, std::span<const std::int32_t> vertices, std::span<const double> targets) {
  impl_->require_body(body);
  warping::require_vertices(impl_->warp, vertices);
  std::vector<std::int32_t> sorted(vertices.begin(), vertices.end());
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    throw InputError("vertex " + std::to_string(*std::ranges::adjacent_find(sorted)) + " is held twice");
  if (targets.size() != 3 * vertices.size())
    throw InputError(std::to_string(vertices.size()) + " vertices need " + std::to_string(3 * vertices.size()) +
                     " numbers as targets, not " + std::to_string(targets.size()));
  if (!std::ranges::all_of(targets, [](double x) { return std::isfinite(x); }))
    throw InputError("targets must be finite numbers");
  Hold& hold = impl_->holds[static_cast<std::size_t>(body)];
  hold.vertices.assign(vertices.begin(), vertices.end());
  hold.targets = VectorXd::Map(targets.data(), std::ssize(targets));
  hold.force.assign(targets.size(), 0.0);
}

void HeldModes::step(double h) {
  if (!(std::isfinite(h) && h > 0)) throw InputError("a step must be a finite time > 0");
  for (std::int64_t body = 0; body < impl_->options.bodies; ++body) impl_->step(body, h);
}

std::span<const double> HeldModes::hold_force(std::int64_t body) const {
  impl_->require_body(body);
  return impl_->holds[static_cast<std::size_t>(body)].force;
}

std::span<const HoldStatus> HeldModes::status() const {
  return impl_->status;
}

void HeldModes::reset_status() {
  std::ranges::fill(impl_->status, HoldStatus{});
}

}  // namespace quartic
