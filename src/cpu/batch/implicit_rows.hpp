// What implicit steps of held and of free bodies share: the coordinates' residual and system, rows of a tile at a time.
#pragma once

#include "core/batch/scheme.hpp"
#include "cpu/batch/tile.hpp"

namespace quartic::cpu {

/// The increment is zero, and the system's parts that don't change.
template <class S, class T>
void begin_iteration(Tile<S>& tile, const StepSettings<T>& s) {
  const std::int64_t size = tile.size();
  for (std::int64_t n = 0; n < size; ++n) tile.increment[n] = 0;
  tile.drive_increment();
  tile.set_damping_weight(s.a4);
  for (int l = 0; l < tile.lanes; ++l) {
    const SystemScales<T> system =
        implicit_system(s, tile.rayleigh_mass[l], tile.rayleigh_stiffness[l], tile.stiffness_scale[l]);
    tile.scale[l] = system.stiffness;
    tile.diagonal[l] = system.diagonal;
  }
}

/// The state after the increment.
template <class S, class T>
void move(Tile<S>& tile, const StepSettings<T>& s) {
  tile.for_each_value(tile.rank(), [&](auto n, int) {
    const RowState<T> next = implicit_state(s, {tile.q[n], tile.velocity[n], tile.acceleration[n]}, tile.increment[n]);
    tile.next_q[n] = next.q;
    tile.next_velocity[n] = next.velocity;
    tile.next_acceleration[n] = next.acceleration;
  });
  tile.move_driven(s.dt);
}

/// Residual and stiffness there.
template <class S, class T>
void evaluate_residual(Tile<S>& tile, const StepSettings<T>& s) {
  move(tile, s);
  tile.evaluate(tile.next_q, tile.h);
  tile.for_each_value(tile.rank(), [&](auto n, int l) {
    tile.argument[n] = tile.rayleigh_stiffness[l] * tile.next_velocity[n];  // C v = alpha v + K (beta v)
  });
  tile.apply(1, tile.next_q, tile.h, tile.argument, tile.product);
  tile.evaluate_damping(tile.next_q);
  tile.damp(tile.next_velocity, tile.product);
  tile.for_each_value(tile.rank(), [&](auto n, int l) {
    tile.residual[n] = implicit_residual(tile.next_acceleration[n], tile.rayleigh_mass[l], tile.next_velocity[n],
                                         tile.product[n], tile.end_force[n]);
  });
  tile.clear_driven(tile.residual);
}

}  // namespace quartic::cpu
