#include "view/session/bodies.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "quartic/error.hpp"

namespace quartic::view {
namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

template <class T>
void fill(StateView<T> view, T value) {
  for (std::int64_t mode = 0; mode < view.rank; ++mode) std::fill_n(&view(mode, 0), view.bodies, value);
}

std::vector<BodyGroup> group_of(const ForceModel& forces, const ModelRange& range,
                                const std::optional<FrameMoments>& frame, std::int64_t bodies) {
  std::vector<BodyGroup> groups(1);
  groups[0].force_model = forces;
  groups[0].bodies = bodies;
  groups[0].range = range;
  groups[0].frame = frame;
  return groups;
}

template <class T>
Eigen::Vector3d rows_of(const StateView<const T>& view, std::int64_t row, std::int64_t body) {
  return {static_cast<double>(view(row, body)), static_cast<double>(view(row + 1, body)),
          static_cast<double>(view(row + 2, body))};
}

template <class T>
class BodiesOf final : public Bodies {
 public:
  BodiesOf(const ForceModel& forces, const ModelRange& range, const std::optional<FrameMoments>& frame,
           const BatchOptions& options)
      : batch_(group_of(forces, range, frame, options.bodies), options) {}

  [[nodiscard]] std::int64_t count() const override { return batch_.bodies(); }
  [[nodiscard]] const BatchOptions& options() const override { return batch_.options(); }
  [[nodiscard]] double time() const override { return batch_.time(); }

  void read_q(std::span<double> q) const override {
    const auto view = batch_.q();
    for (std::int64_t mode = 0; mode < view.rank; ++mode)
      for (std::int64_t body = 0; body < view.bodies; ++body)
        q[static_cast<std::size_t>(body * view.rank + mode)] = static_cast<double>(view(mode, body));
  }

  void read_q(std::int64_t body, std::span<double> q) const override { read(batch_.q(), body, q); }
  void read_velocity(std::int64_t body, std::span<double> velocity) const override {
    read(batch_.velocity(), body, velocity);
  }

  [[nodiscard]] bool fly() const override { return batch_.has_frame(); }
  [[nodiscard]] const FrameMoments& frame() const override { return batch_.frame(); }

  [[nodiscard]] RigidMotion rigid_motion(std::int64_t body) const override {
    const auto pose = batch_.pose(), twist = batch_.twist();
    RigidMotion motion{.velocity = rows_of(twist, 0, body), .spin = rows_of(twist, 3, body)};
    Eigen::Quaterniond rotation;
    rotation.vec() = rows_of(pose, 3, body);
    rotation.w() = static_cast<double>(pose(6, body));
    motion.pose = Eigen::Translation3d(rows_of(pose, 0, body)) * rotation.normalized();
    return motion;
  }

  void set_rigid_motion(const RigidMotion& motion) override {
    const Eigen::Quaterniond rotation(motion.pose.linear());
    Eigen::Matrix<double, pose_size, 1> pose;
    Eigen::Matrix<double, twist_size, 1> twist;
    pose << motion.pose.translation(), rotation.vec(), rotation.w();
    twist << motion.velocity, motion.spin;
    if (!pose.cast<T>().allFinite() || !twist.cast<T>().allFinite())
      throw InputError("a body's place or velocity has a number that this precision can't hold");
    const auto poses = batch_.pose(), twists = batch_.twist();
    for (std::int64_t body = 0; body < count(); ++body) {
      for (Eigen::Index row = 0; row < pose.size(); ++row) poses(row, body) = static_cast<T>(pose[row]);
      for (Eigen::Index row = 0; row < twist.size(); ++row) twists(row, body) = static_cast<T>(twist[row]);
    }
    fill<T>(batch_.twist_rate(), 0);
  }

  void set_weight(const Eigen::Vector3d& force, std::span<const double> scales) override {
    const auto wrench = batch_.wrench();
    fill<T>(wrench, 0);
    for (Eigen::Index axis = 0; axis < 3; ++axis)
      for (std::int64_t body = 0; body < count(); ++body)
        wrench(axis, body) = static_cast<T>(force[axis] * scale_of(scales, body));
  }

  void add_point_forces(const BodyPoint& point, std::span<const VertexForce> forces) override {
    const Batch<T>& now = batch_;
    add_vertex_forces<T>(point.rows, {point.rest.data(), 3}, now.frame(), forces, now.q(), now.pose(), batch_.force(),
                         batch_.wrench());
  }

  void place(std::int64_t body, std::int64_t mode, double value) override {
    batch_.q()(mode, body) = static_cast<T>(value);
    batch_.velocity()(mode, body) = 0;
    batch_.acceleration()(mode, body) = 0;
  }

  void set_force(std::span<const double> force, std::span<const double> scales) override {
    const auto view = batch_.force();
    for (std::int64_t mode = 0; mode < view.rank; ++mode)
      for (std::int64_t body = 0; body < view.bodies; ++body)
        view(mode, body) = static_cast<T>(force[static_cast<std::size_t>(mode)] * scale_of(scales, body));
  }

  void add_force(std::int64_t body, std::span<const double> force) override {
    const auto view = batch_.force();
    for (std::int64_t mode = 0; mode < view.rank; ++mode)
      view(mode, body) += static_cast<T>(force[static_cast<std::size_t>(mode)]);
  }

  void step(double length) override { batch_.step(length); }

  void reset() override {
    for (const auto& view : {batch_.q(), batch_.velocity(), batch_.acceleration(), batch_.force()}) fill<T>(view, 0);
    if (fly()) fill<T>(batch_.wrench(), 0);
    batch_.reset_status();
    batch_.reset_flags();
    batch_.set_time(0);
  }

  void set_damping(double mass, double stiffness) override {
    const std::vector<double> masses(static_cast<std::size_t>(count()), mass);
    const std::vector<double> stiffnesses(static_cast<std::size_t>(count()), stiffness);
    batch_.set_rayleigh_damping(masses, stiffnesses);
  }

  void set_integrator(Integrator integrator) override {
    BatchOptions other = batch_.options();
    other.integrator = integrator;
    Batch<T> batch(
        group_of(batch_.force_model(), batch_.range(), fly() ? std::optional(frame()) : std::nullopt, count()), other);
    const Batch<T>& old = batch_;
    copy_state<T>(old.q(), batch.q());
    copy_state<T>(old.velocity(), batch.velocity());
    copy_state<T>(old.acceleration(), batch.acceleration());
    copy_state<T>(old.force(), batch.force());
    if (fly()) {
      copy_state<T>(old.pose(), batch.pose());
      copy_state<T>(old.twist(), batch.twist());
      copy_state<T>(old.twist_rate(), batch.twist_rate());
      copy_state<T>(old.wrench(), batch.wrench());
    }
    const std::vector<double> mass(old.rayleigh_mass().begin(), old.rayleigh_mass().end());
    const std::vector<double> stiffness(old.rayleigh_stiffness().begin(), old.rayleigh_stiffness().end());
    batch.set_rayleigh_damping(mass, stiffness);
    batch.set_status(old.status());
    batch.set_flags(old.flags());
    batch.set_time(old.time());
    batch_ = std::move(batch);
  }

  void apply(const MaterialEdit& edit, const MaterialEdit* previous) override { apply_edit(batch_, edit, previous); }

  [[nodiscard]] double elastic_energy() const override { return sum(batch_.elastic_energy()); }
  [[nodiscard]] double kinetic_energy() const override { return sum(batch_.kinetic_energy()); }
  [[nodiscard]] std::int64_t status_count(BodyStatus status) const override {
    const auto all = batch_.status();
    return std::count(all.begin(), all.end(), status);
  }
  [[nodiscard]] std::span<const BodyFlags> flags() const override { return batch_.flags(); }
  std::span<const BodyFlags> check_range() override { return batch_.check_range(); }

 private:
  static void read(const StateView<const T>& view, std::int64_t body, std::span<double> numbers) {
    for (std::int64_t mode = 0; mode < view.rank; ++mode)
      numbers[static_cast<std::size_t>(mode)] = static_cast<double>(view(mode, body));
  }
  static double scale_of(std::span<const double> scales, std::int64_t body) {
    return scales.empty() ? 1.0 : scales[static_cast<std::size_t>(body)];
  }

  Batch<T> batch_;
};

}  // namespace

std::unique_ptr<Bodies> make_bodies(const ForceModel& forces, const ModelRange& range,
                                    const std::optional<FrameMoments>& frame, const BatchOptions& options,
                                    Precision precision) {
  if (precision == Precision::single_precision) return std::make_unique<BodiesOf<float>>(forces, range, frame, options);
  return std::make_unique<BodiesOf<double>>(forces, range, frame, options);
}

}  // namespace quartic::view
