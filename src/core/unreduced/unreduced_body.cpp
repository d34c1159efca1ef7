// Implicit steps of the unreduced body: what cpu/batch/implicit_step.cpp does in reduced coordinates, with sparse
// matrices.
#include <cmath>
#include <string>

#include "core/algebra/sparse_product.hpp"
#include "core/batch/batch_checks.hpp"
#include "core/batch/driven_scheme.hpp"
#include "core/batch/time_stepping.hpp"
#include "core/elements/dof_vector_check.hpp"
#include "core/elements/quadrature.hpp"
#include "core/fem/fem_operations.hpp"
#include "core/unreduced/tangent_system.hpp"
#include "quartic/error.hpp"
#include "quartic/unreduced.hpp"

namespace quartic {
namespace {

using Eigen::VectorXd;

// What a batch is told of the same integrator.
BatchOptions batch_options(const UnreducedOptions& options) {
  return {.integrator = options.integrator,
          .newmark_beta = options.newmark_beta,
          .newmark_gamma = options.newmark_gamma,
          .rayleigh_mass = options.rayleigh_mass,
          .rayleigh_stiffness = options.rayleigh_stiffness,
          .newton_iterations = options.newton_iterations,
          .newton_tolerance = options.newton_tolerance};
}

void check(const UnreducedOptions& options) {
  if (options.integrator != Integrator::newmark && options.integrator != Integrator::backward_euler)
    throw InputError("an unreduced body has Integrator::newmark and backward_euler only; step a reduced one by others");
  check_options<double>(batch_options(options));
  check_damping<double>(std::span(&options.strain_damping, 1), "strain_damping", 1);
}

VectorXd::MapType map(std::vector<double>& vector) {
  return {vector.data(), std::ssize(vector)};
}

}  // namespace

class UnreducedBody::Impl {
 public:
  Impl(const PreparedMesh& mesh, const FreedomMap& map, const UnreducedOptions& body_options)
      : options(body_options),
        mass(fem_operations(Backend::cpu).mass(mesh, options.mass_matrix)),
        system_(mesh, map, &mass, options.factorization, options.heating, options.chambers) {
    for (std::vector<double>* vector : {&displacement, &velocity, &acceleration, &force, &next_, &next_velocity_,
                                        &next_acceleration_, &internal_, &product_})
      vector->resize(static_cast<std::size_t>(mass.rows));
    if (options.driven.cols > 0 && options.driven.rows != mass.rows)
      throw InputError("UnreducedOptions::driven has " + std::to_string(options.driven.rows) +
                       " rows, but the body three per vertex, " + std::to_string(mass.rows));
    driven_.resize(static_cast<std::size_t>(options.driven.cols));
    inertial_.resize(driven_.size());
    target_.resize(driven_.size());
  }

  void set_driven(std::span<const double> s) {
    require_driven(s);
    target_.assign(s.begin(), s.end());
  }
  void place_driven(std::span<const double> s, std::span<const double> rate) {
    require_driven(s);
    require_driven(rate);
    for (std::size_t i = 0; i < driven_.size(); ++i) {
      add_driven(i, s[i] - driven_[i].q, displacement);
      add_driven(i, rate[i] - driven_[i].velocity, velocity);
      driven_[i] = inertial_[i] = {s[i], rate[i], 0};
    }
    target_.assign(s.begin(), s.end());
  }

  void step(double dt) {
    if (status == BodyStatus::diverged) return;
    const StepSettings<double> s = step_settings<double>(batch_options(options), dt);
    system_.hold(velocity);
    system_.hold(acceleration);
    std::vector<double> moved(displacement.size());
    for (std::size_t i = 0; i < driven_.size(); ++i) {
      add_driven(i, inertial_[i].velocity, velocity);
      add_driven(i, inertial_[i].acceleration, acceleration);
      add_driven(i, target_[i] - driven_[i].q, moved);
    }
    VectorXd increment = map(moved);
    for (int iteration = 0; iteration < s.newton_iterations; ++iteration) {
      VectorXd residual = residual_at(increment, s);
      if (implicit_converged(s, residual.squaredNorm())) break;
      if (!residual.allFinite() || !correct(increment, residual, s)) {
        status = BodyStatus::diverged;
        return;
      }
    }
    accept(increment, s);
  }

  [[nodiscard]] double kinetic_energy() const {
    const auto v = VectorXd::Map(velocity.data(), std::ssize(velocity));
    return v.dot(sparse_times(mass, v).col(0)) / 2;
  }
  double elastic_energy() { return system_.forces().energy(displacement); }
  double& pressure(int chamber) { return system_.pressures()[checked(chamber)]; }
  double enclosed_volume(int chamber) { return system_.chamber(checked(chamber)).volume(displacement); }
  [[nodiscard]] std::string_view factorization_name() const { return system_.factorization_name(); }

  UnreducedOptions options;
  SparseMatrix mass;
  std::vector<double> displacement, velocity, acceleration, force;
  BodyStatus status = BodyStatus::ok;

 private:
  [[nodiscard]] std::size_t checked(int chamber) const {
    if (chamber < 0 || chamber >= std::ssize(options.chambers))
      throw InputError("there is no chamber " + std::to_string(chamber) + "; the body has " +
                       std::to_string(options.chambers.size()) + " (UnreducedOptions::chambers)");
    return static_cast<std::size_t>(chamber);
  }

  void require_driven(std::span<const double> numbers) const {
    if (numbers.size() != driven_.size())
      throw InputError("there are " + std::to_string(driven_.size()) + " moved sets (UnreducedOptions::driven), not " +
                       std::to_string(numbers.size()));
    for (const double number : numbers)
      if (!std::isfinite(number)) throw InputError("moved sets take finite numbers");
  }
  // whole += factor times the set's field.
  void add_driven(std::size_t set, double factor, std::vector<double>& whole) const {
    map(whole) += factor * options.driven.map().col(static_cast<Eigen::Index>(set));
  }

  [[nodiscard]] RowState<double> next_driven(std::size_t set, const StepSettings<double>& s) const {
    return driven_state(s.dt, driven_[set], target_[set] - driven_[set].q);
  }
  [[nodiscard]] RowState<double> next_inertial(std::size_t set, const StepSettings<double>& s) const {
    return implicit_state(s, inertial_[set], target_[set] - inertial_[set].q);
  }

  // The state after the increment.
  void move(const VectorXd& increment, const StepSettings<double>& s) {
    for (std::size_t dof = 0; dof < next_.size(); ++dof) {
      const RowState<double> next = implicit_state(s, {displacement[dof], velocity[dof], acceleration[dof]},
                                                   increment[static_cast<Eigen::Index>(dof)]);
      next_[dof] = next.q;
      next_velocity_[dof] = next.velocity;
      next_acceleration_[dof] = next.acceleration;
    }
  }

  // M (a + alpha v) + K (beta v) + tau D v + R - f at the end of the step, on the free degrees of freedom; K and D are
  // left there.
  VectorXd residual_at(const VectorXd& increment, const StepSettings<double>& s) {
    move(increment, s);
    system_.evaluate(next_, internal_);
    for (std::size_t dof = 0; dof < product_.size(); ++dof)
      product_[dof] = implicit_inertia(next_acceleration_[dof], options.rayleigh_mass, next_velocity_[dof]);
    VectorXd residual = map(internal_) - map(force) + sparse_times(mass, map(product_)).col(0);
    std::vector<double> rate = next_velocity_;
    for (std::size_t i = 0; i < driven_.size(); ++i)
      add_driven(i, next_driven(i, s).velocity - next_inertial(i, s).velocity, rate);
    if (options.rayleigh_stiffness > 0)
      residual += sparse_times(system_.stiffness(), options.rayleigh_stiffness * map(rate)).col(0);
    if (options.strain_damping > 0) {
      system_.evaluate_viscosity(next_);
      residual += sparse_times(system_.viscosity(), options.strain_damping * map(rate)).col(0);
    }
    return system_.restrict_forces({residual.data(), static_cast<std::size_t>(residual.size())});
  }

  // increment -= A^-1 residual, A = (a1 + a4 alpha) M + (1 + a4 beta) K + a4 tau D. False if there is no such
  // correction.
  bool correct(VectorXd& increment, VectorXd& residual, const StepSettings<double>& s) {
    const SystemScales<double> scales = implicit_system(s, options.rayleigh_mass, options.rayleigh_stiffness);
    const std::optional<double> shift =
        system_.factorize(scales.diagonal, scales.stiffness, s.a4 * options.strain_damping);
    if (!shift) return false;
    if (*shift > 0) status = BodyStatus::regularised;
    system_.solve(residual);
    if (!residual.allFinite()) return false;
    system_.add_to_whole(-1, residual, {increment.data(), static_cast<std::size_t>(increment.size())});
    return true;
  }

  void accept(const VectorXd& increment, const StepSettings<double>& s) {
    move(increment, s);
    double defects = 0;
    for (const std::vector<double>* vector : {&next_, &next_velocity_, &next_acceleration_})
      for (const double value : *vector) defects += defect(value);
    if (defects != 0) {
      status = BodyStatus::diverged;
      return;
    }
    displacement = next_;  // copies: callers may hold spans
    velocity = next_velocity_;
    acceleration = next_acceleration_;
    for (std::size_t i = 0; i < driven_.size(); ++i) {
      const RowState<double> next = next_driven(i, s), inertial = next_inertial(i, s);
      add_driven(i, next.velocity - inertial.velocity, velocity);
      add_driven(i, next.acceleration - inertial.acceleration, acceleration);
      driven_[i] = next;
      inertial_[i] = inertial;
    }
  }

  cpu::TangentSystem system_;
  std::vector<double> next_, next_velocity_, next_acceleration_;
  std::vector<double> internal_, product_;
  // Of each moved set: as it moves, and as inertia takes it. The mass matrix joins what is moved to what is free; both
  // together have a smooth motion by the integrator's formulas, as the coordinates of a reduced body have.
  std::vector<RowState<double>> driven_, inertial_;
  std::vector<double> target_;  // where it is to be at the end of the step
};

UnreducedBody::UnreducedBody(const VolumeMesh& mesh, const Supports& supports, const UnreducedOptions& options) {
  check(options);
  if (options.strain_damping > 0) require_stvk(mesh, "viscous stresses (strain_damping)");
  const PreparedMesh prepared(mesh);
  impl_ = std::make_unique<Impl>(prepared, FreedomMap(mesh, supports), options);
}
UnreducedBody::UnreducedBody(UnreducedBody&&) noexcept = default;
UnreducedBody& UnreducedBody::operator=(UnreducedBody&&) noexcept = default;
UnreducedBody::~UnreducedBody() = default;

std::span<double> UnreducedBody::displacement() {
  return impl_->displacement;
}
std::span<double> UnreducedBody::velocity() {
  return impl_->velocity;
}
std::span<double> UnreducedBody::acceleration() {
  return impl_->acceleration;
}
std::span<double> UnreducedBody::force() {
  return impl_->force;
}
std::span<const double> UnreducedBody::displacement() const {
  return impl_->displacement;
}
std::span<const double> UnreducedBody::velocity() const {
  return impl_->velocity;
}
std::span<const double> UnreducedBody::acceleration() const {
  return impl_->acceleration;
}
std::span<const double> UnreducedBody::force() const {
  return impl_->force;
}
void UnreducedBody::set_pressure(double pressure, int chamber) {
  double& own = impl_->pressure(chamber);
  if (!std::isfinite(pressure)) throw InputError("the pressure in a chamber must be a finite number");
  own = pressure;
}
double UnreducedBody::pressure(int chamber) const {
  return impl_->pressure(chamber);
}
double UnreducedBody::enclosed_volume(int chamber) const {
  return impl_->enclosed_volume(chamber);
}

void UnreducedBody::set_driven(std::span<const double> displacement) {
  impl_->set_driven(displacement);
}
void UnreducedBody::place_driven(std::span<const double> displacement, std::span<const double> velocity) {
  impl_->place_driven(displacement, velocity);
}

const UnreducedOptions& UnreducedBody::options() const {
  return impl_->options;
}
const SparseMatrix& UnreducedBody::mass() const {
  return impl_->mass;
}
std::string_view UnreducedBody::factorization_name() const {
  return impl_->factorization_name();
}

void UnreducedBody::step(double dt, int substeps) {
  check_step<double>(dt, substeps);
  for (int substep = 0; substep < substeps; ++substep) impl_->step(dt / substeps);
}

BodyStatus UnreducedBody::status() const {
  return impl_->status;
}
void UnreducedBody::reset_status() {
  impl_->status = BodyStatus::ok;
}
double UnreducedBody::elastic_energy() const {
  return impl_->elastic_energy();
}
double UnreducedBody::kinetic_energy() const {
  return impl_->kinetic_energy();
}

std::vector<double> gravity_force(const SparseMatrix& mass, std::span<const double, 3> acceleration) {
  std::vector<double> force(static_cast<std::size_t>(mass.rows));
  for (std::size_t row = 0; row < force.size(); ++row)
    for (auto entry = mass.row_offsets[row]; entry < mass.row_offsets[row + 1]; ++entry)
      force[row] += mass.values[static_cast<std::size_t>(entry)] *
                    acceleration[static_cast<std::size_t>(mass.columns[static_cast<std::size_t>(entry)] % 3)];
  return force;
}

}  // namespace quartic
