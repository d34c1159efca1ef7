#include "core/contact/body_exchange.hpp"

#include "core/batch/batch_impl.hpp"
#include "core/batch/curve_value.hpp"
#include "core/batch/load_curve.hpp"
#include "core/batch/scheme.hpp"
#include "core/batch/time_stepping.hpp"

namespace quartic {
namespace {

template <class T>
void put_rows(const ContactPoint& x, const StateView<T>& view, std::int64_t row, std::int64_t body) {
  view(row, body) = static_cast<T>(x.x), view(row + 1, body) = static_cast<T>(x.y),
            view(row + 2, body) = static_cast<T>(x.z);
}

template <class T>
void take_column(const StateView<const T>& view, std::int64_t rank, std::int64_t body, double scale,
                 std::vector<double>& values) {
  values.resize(static_cast<std::size_t>(rank));
  for (std::int64_t j = 0; j < rank; ++j) values[static_cast<std::size_t>(j)] = scale * double{view(j, body)};
}

// Of the chambers, divided by the scale that K and R of both take.
template <class T>
void take_pressures(const Batch<T>& batch, std::size_t chambers, std::size_t body, std::vector<double>& values) {
  const BodyParameters<T>& parameters = batch.impl().parameters();
  values.resize(chambers);
  for (std::size_t c = 0; c < chambers; ++c)
    values[c] = double{parameters.pressure[c * static_cast<std::size_t>(batch.bodies()) + body]} /
                double{parameters.stiffness_scale[body]};
}

template <class T>
void take_flight(const Batch<T>& batch, std::int64_t b, BodyMotion& m) {
  m.pose = {rows_of(batch.pose(), 0, b), {rows_of(batch.pose(), 3, b), double{batch.pose()(6, b)}}};
  m.linear_velocity = rows_of(batch.twist(), 0, b);
  m.spin = rows_of(batch.twist(), 3, b);
  m.linear_acceleration = rows_of(batch.twist_rate(), 0, b);
  m.spin_rate = rows_of(batch.twist_rate(), 3, b);
}

}  // namespace

template <class T>
double load_scale(const Batch<T>& batch, std::int64_t body, double at, double h) {
  const BodyParameters<T>& parameters = batch.impl().parameters();
  if (parameters.curve_of_body.empty()) return 1;
  const auto curve = parameters.curve_of_body[static_cast<std::size_t>(body)];
  const double time = batch.time();
  return curve < 0 ? 1.0
                   : scale_at(parameters.curves[static_cast<std::size_t>(curve)], at, curve_slack(time, time + h));
}

template <class T>
void take_body(const Batch<T>& batch, int group, std::int64_t b, double h, const ContactOptions& options,
               std::span<const Collider> start, std::span<const Collider> end, BodyOnItsOwn& own) {
  const auto n = static_cast<std::size_t>(b);
  const std::int64_t r = batch.group(group).rank;
  const BodyParameters<T>& parameters = batch.impl().parameters();
  const double time = batch.time(), load0 = load_scale(batch, b, time, h), load1 = load_scale(batch, b, time + h, h);
  const Integrator integrator = batch.options().integrator;
  const double mean = mean_load(load0, load1);
  take_column(batch.force(), r, b, integrator == Integrator::energy_conserving ? mean : load1, own.force);
  take_pressures(batch, batch.force_model(group).chambers.size(), n, own.pressure);
  take_column(batch.q(), r, b, 1, own.start.q);
  take_column(batch.velocity(), r, b, 1, own.start.velocity);
  take_column(batch.acceleration(), r, b, 1, own.start.acceleration);
  own.step = {.settings = step_settings<double>(batch.options(), h),
              .spin = spin_settings<double>(batch.options(), h),
              .integrator = integrator,
              .rayleigh_mass = double{parameters.rayleigh_mass[n]},
              .rayleigh_stiffness = double{parameters.rayleigh_stiffness[n]},
              .stiffness_scale = double{parameters.stiffness_scale[n]},
              .force = own.force,
              .pressure = own.pressure,
              .external_force = {},
              .external_torque = {},
              .law = {options.stiffness, options.dissipation, options.friction, options.friction_velocity},
              .iterations = options.iterations,
              .tolerance = options.tolerance,
              .start = start,
              .end = end};
  if (!batch.has_frame(group)) return;
  const double load = integrator == Integrator::backward_euler ? load1 : mean;
  own.step.external_force = load * rows_of(batch.wrench(), 0, b);
  own.step.external_torque = load * rows_of(batch.wrench(), 3, b);
  take_flight(batch, b, own.start);
}

template <class T>
void put_body(const BodyMotion& m, Batch<T>& batch, int group, std::int64_t b) {
  for (std::size_t j = 0; j < m.q.size(); ++j) {
    const auto row = static_cast<std::int64_t>(j);
    batch.q()(row, b) = static_cast<T>(m.q[j]);
    batch.velocity()(row, b) = static_cast<T>(m.velocity[j]);
    batch.acceleration()(row, b) = static_cast<T>(m.acceleration[j]);
  }
  if (!batch.has_frame(group)) return;
  put_rows(m.pose.position, batch.pose(), 0, b);
  put_rows(m.pose.rotation.vector, batch.pose(), 3, b);
  batch.pose()(6, b) = static_cast<T>(m.pose.rotation.w);
  put_rows(m.linear_velocity, batch.twist(), 0, b);
  put_rows(m.spin, batch.twist(), 3, b);
  put_rows(m.linear_acceleration, batch.twist_rate(), 0, b);
  put_rows(m.spin_rate, batch.twist_rate(), 3, b);
}

template double load_scale(const Batch<float>&, std::int64_t, double, double);
template double load_scale(const Batch<double>&, std::int64_t, double, double);
template void take_body(const Batch<float>&, int, std::int64_t, double, const ContactOptions&,
                        std::span<const Collider>, std::span<const Collider>, BodyOnItsOwn&);
template void take_body(const Batch<double>&, int, std::int64_t, double, const ContactOptions&,
                        std::span<const Collider>, std::span<const Collider>, BodyOnItsOwn&);
template void put_body(const BodyMotion&, Batch<float>&, int, std::int64_t);
template void put_body(const BodyMotion&, Batch<double>&, int, std::int64_t);

}  // namespace quartic
