// Explicit central differences as kick, drift, kick:
//   a_n = f_n - R(q_n) - C(q_n) v_{n-1/2},   v_{n+1/2} = v_n + dt/2 a_n,   q_{n+1} = q_n + dt v_{n+1/2},
//   v_{n+1} = v_{n+1/2} + dt/2 a_{n+1},
// which is (q_{n+1} - 2 q_n + q_{n-1}) / dt^2 = a_n. Position, velocity and acceleration are kept at the same time.
// The first acceleration is computed anew in each step, so that a changed force acts at once, and a start from any
// q and v is second order accurate whatever acceleration is stored; that serves only to find the half-step velocity
// v_{n-1/2} = v_n - dt/2 a_n for the damping. Damping is first order accurate. Driven coordinates move evenly to where
// they are to be.
#include "core/batch/scheme.hpp"
#include "cpu/batch/integrators.hpp"

namespace quartic::cpu {
namespace {

// result = f - R(q) - C(q) v for v = half-step velocity, given H at q.
template <class S, class T = typename S::Number>
void acceleration_at(Tile<S>& tile, const T* q, const T* force, const T* half_velocity, T* result) {
  tile.for_each_value(tile.rank(),
                      [&](auto n, int l) { tile.argument[n] = tile.rayleigh_stiffness[l] * half_velocity[n]; });
  tile.apply(1, q, tile.h, tile.argument, tile.product);
  tile.damp(half_velocity, tile.product);
  tile.for_each_value(tile.rank(), [&](auto n, int l) {
    result[n] = explicit_acceleration(force[n], tile.product[n], tile.rayleigh_mass[l] * half_velocity[n]);
  });
}

}  // namespace

template <class S, class T>
void central_differences_step(Tile<S>& tile, const StepSettings<T>& s, bool h_is_current) {
  const std::int64_t size = tile.size();
  const T half = s.dt / 2;
  T* half_velocity = tile.residual;
  if (!h_is_current) {
    tile.evaluate(tile.q, tile.h);
    tile.evaluate_damping(tile.q);
  }
  for (std::int64_t n = 0; n < size; ++n) half_velocity[n] = kicked(tile.velocity[n], -half, tile.acceleration[n]);
  acceleration_at(tile, tile.q, tile.start_force, half_velocity, tile.next_acceleration);
  const std::int64_t free = tile.first_driven();
  for (std::int64_t n = 0; n < free; ++n) {
    half_velocity[n] = kicked(tile.velocity[n], half, tile.next_acceleration[n]);
    tile.next_q[n] = drifted(tile.q[n], s, half_velocity[n]);
  }
  tile.drive_increment();
  for (std::int64_t n = free; n < size; ++n) {
    half_velocity[n] = tile.increment[n] / s.dt;
    tile.next_q[n] = tile.end_force[n];
  }
  tile.evaluate(tile.next_q, tile.h);
  tile.evaluate_damping(tile.next_q);
  acceleration_at(tile, tile.next_q, tile.end_force, half_velocity, tile.next_acceleration);
  for (std::int64_t n = 0; n < size; ++n)
    tile.next_velocity[n] = kicked(half_velocity[n], half, tile.next_acceleration[n]);
  tile.move_driven(s.dt);
}

template void central_differences_step(Tile<LaneSystem<float>>&, const StepSettings<float>&, bool);
template void central_differences_step(Tile<LaneSystem<double>>&, const StepSettings<double>&, bool);
template void central_differences_step(Tile<BodySystem<float>>&, const StepSettings<float>&, bool);
template void central_differences_step(Tile<BodySystem<double>>&, const StepSettings<double>&, bool);

}  // namespace quartic::cpu
