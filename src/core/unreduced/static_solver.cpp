#include <algorithm>
#include <cmath>
#include <string>

#include "core/elements/dof_vector_check.hpp"
#include "core/fem/rigid_motions.hpp"
#include "core/unreduced/newton_equilibrium.hpp"
#include "core/unreduced/tangent_system.hpp"
#include "quartic/error.hpp"
#include "quartic/statics.hpp"

namespace quartic {

/// What NewtonEquilibrium asks of a body.
class StaticSolver::Impl {
 public:
  Impl(const PreparedMesh& mesh, const FreedomMap& map, const StaticsOptions& options,
       std::span<const Chamber> chambers)
      : options_(options),
        system_(mesh, map, nullptr, options.factorization, options.heating, chambers),
        is_quartic_(
            std::ranges::all_of(mesh.materials().law, [](MaterialLaw law) { return law == MaterialLaw::stvk; })) {
    if (const Eigen::MatrixXd rigid = rigid_motions(mesh, map); rigid.cols() > 0)
      throw InputError("the supports leave " + std::to_string(rigid.cols()) +
                       " rigid modes: an equilibrium needs a body that is held against all of them");
    for (std::vector<double>* vector : {&internal_, &elastic_, &trial_internal_})
      vector->resize(static_cast<std::size_t>(system_.dof_count()));
  }

  Equilibrium solve(std::span<const double> force, std::span<const double> start, std::span<const double> pressure) {
    require_dof_vector(force, system_.dof_count(), "the force");
    if (!start.empty()) require_dof_vector(start, system_.dof_count(), "the start");
    require_pressures(pressure, system_.pressures().size());
    pressures_.assign(pressure.begin(), pressure.end());
    pressures_.resize(system_.pressures().size());
    u_.assign(start.begin(), start.end());
    u_.resize(internal_.size());
    Equilibrium result = NewtonEquilibrium(*this, options_).solve(system_.restrict_forces(force));
    result.solution = u_;
    return result;
  }

  void evaluate() {
    system_.evaluate(u_, internal_);
    elastic_ = internal_;
    system_.add_pressures(1, u_, elastic_);
  }
  [[nodiscard]] Eigen::VectorXd internal() const { return system_.restrict_forces(internal_); }
  [[nodiscard]] double internal_norm() const {
    const auto elastic = Eigen::VectorXd::Map(elastic_.data(), std::ssize(elastic_));
    const auto internal = Eigen::VectorXd::Map(internal_.data(), std::ssize(internal_));
    return std::max(elastic.norm(), (elastic - internal).norm());
  }
  Eigen::VectorXd internal_at(double t, const Eigen::VectorXd& d) {
    trial_ = u_;
    system_.add_to_whole(t, d, trial_);
    system_.forces().force(trial_, trial_internal_);
    system_.add_pressures(-1, trial_, trial_internal_);
    return system_.restrict_forces(trial_internal_);
  }
  double energy() { return system_.forces().energy(u_); }
  double potential() { return energy() - system_.pressure_work(u_); }
  void set_load_factor(double factor) {
    for (std::size_t c = 0; c < pressures_.size(); ++c) system_.pressures()[c] = factor * pressures_[c];
  }
  std::optional<double> factorize() { return system_.factorize(0, 1); }
  void solve(Eigen::VectorXd& x) const { system_.solve(x); }
  void move(double t, const Eigen::VectorXd& d) { system_.add_to_whole(t, d, u_); }
  [[nodiscard]] Eigen::VectorXd position() const { return system_.restrict_displacements(u_); }
  void place(const Eigen::VectorXd& position) { system_.move_to(position, u_); }
  [[nodiscard]] bool is_quartic() const { return is_quartic_; }

  [[nodiscard]] std::string_view factorization_name() const { return system_.factorization_name(); }

 private:
  StaticsOptions options_;
  cpu::TangentSystem system_;
  bool is_quartic_;
  std::vector<double> pressures_;  // of the whole load
  std::vector<double> u_, internal_, elastic_, trial_, trial_internal_;
};

StaticSolver::StaticSolver(const VolumeMesh& mesh, const Supports& supports, const StaticsOptions& options,
                           std::span<const Chamber> chambers) {
  check_statics_options(options);
  const PreparedMesh prepared(mesh);
  impl_ = std::make_unique<Impl>(prepared, FreedomMap(mesh, supports), options, chambers);
}
StaticSolver::StaticSolver(StaticSolver&&) noexcept = default;
StaticSolver& StaticSolver::operator=(StaticSolver&&) noexcept = default;
StaticSolver::~StaticSolver() = default;

Equilibrium StaticSolver::solve(std::span<const double> force, std::span<const double> start,
                                std::span<const double> pressure) {
  return impl_->solve(force, start, pressure);
}
std::string_view StaticSolver::factorization_name() const {
  return impl_->factorization_name();
}

}  // namespace quartic
