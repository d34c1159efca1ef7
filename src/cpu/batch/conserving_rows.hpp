// What energy-conserving steps of held and of free bodies share: the coordinates' residual and system, rows of a tile
// at a time.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/batch/scheme.hpp"
#include "cpu/batch/tile.hpp"

namespace quartic::cpu {

template <class S, class T = typename S::Number>
T load_of(const Tile<S>& tile, std::int64_t n) {
  return mean_load(tile.start_force[n], tile.end_force[n]);
}

/// Adds R's mean over the step, and K's damping, with H at both Gauss points.
template <class S, class T>
void add_mean_force(Tile<S>& tile, const StepSettings<T>& s) {
  for (const bool second : {false, true}) {
    T* h = second ? tile.second_h : tile.h;
    const T share = gauss_share<T>(second);
    tile.for_each_value(tile.rank(),
                        [&](auto n, int) { tile.next_q[n] = gauss_point(share, tile.q[n], tile.increment[n]); });
    tile.evaluate(tile.next_q, h);
    tile.for_each_value(tile.rank(), [&](auto n, int l) {
      tile.argument[n] = gauss_damping(s, tile.rayleigh_stiffness[l]) * tile.increment[n];
    });
    tile.apply(T{0.5}, tile.next_q, h, tile.argument, tile.product);
    tile.for_each_value(tile.rank(), [&](auto n, int) { tile.residual[n] += tile.product[n]; });
  }
}

/// Below this share of them, the difference of two energies and the work between them is round-off.
inline constexpr double energy_noise = 64 * std::numeric_limits<double>::epsilon();

/// Adds Gonzalez' discrete gradient, and K's damping, with H in the middle of the step. Energies are of states as they
/// are rounded to T, so that d is their difference and not the increment: near rest that is no longer the same, and all
/// of the force would come from it.
template <class S, class T>
void add_discrete_gradient(Tile<S>& tile, const StepSettings<T>& s) {
  constexpr auto lanes = static_cast<std::size_t>(Tile<S>::lanes);
  tile.for_each_value(tile.rank(), [&](auto n, int) { tile.next_q[n] = tile.q[n] + tile.increment[n]; });
  const std::array<double, lanes> start = tile.start_energies(), end = tile.energies(tile.next_q);
  tile.for_each_value(tile.rank(),
                      [&](auto n, int) { tile.next_q[n] = gauss_point(T{0.5}, tile.q[n], tile.increment[n]); });
  tile.evaluate(tile.next_q, tile.h);
  tile.for_each_value(tile.rank(), [&](auto n, int) { tile.argument[n] = 0; });
  tile.apply(1, tile.next_q, tile.h, tile.argument, tile.product);
  const auto moved = [&](std::int64_t n) {
    return double{static_cast<T>(tile.q[n] + tile.increment[n])} - double{tile.q[n]};
  };
  std::array<double, lanes> work{}, square{};
  for (std::int64_t i = 0; i < tile.rank(); ++i)
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::int64_t n = i * Tile<S>::lanes + static_cast<std::int64_t>(l);
      const double d = moved(n);
      work[l] += double{tile.product[n]} * d;
      square[l] += d * d;
    }
  typename Tile<S>::LaneValues correction;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double change = end[l] - start[l], terms = std::abs(end[l]) + std::abs(start[l]) + std::abs(work[l]);
    const bool is_noise = std::abs(change - work[l]) <= energy_noise * terms;
    correction[l] = is_noise ? 0 : static_cast<T>(gradient_correction(change, work[l], square[l]));
  }
  tile.for_each_value(tile.rank(), [&](auto n, int l) {
    tile.residual[n] += tile.product[n] + correction[static_cast<std::size_t>(l)] * static_cast<T>(moved(n));
    tile.argument[n] = 2 * gauss_damping(s, tile.rayleigh_stiffness[l]) * tile.increment[n];
  });
  tile.apply(0, tile.next_q, tile.h, tile.argument, tile.product);
  tile.for_each_value(tile.rank(), [&](auto n, int) { tile.residual[n] += tile.product[n]; });
}

/// Residual at q + increment, and H at both Gauss points, or in the middle.
template <class S, class T>
void evaluate_mean_residual(Tile<S>& tile, const StepSettings<T>& s) {
  tile.for_each_value(tile.rank(), [&](auto n, int l) {
    tile.residual[n] =
        conserving_inertia(s, tile.increment[n], tile.velocity[n], tile.rayleigh_mass[l], load_of(tile, n));
  });
  tile.for_each_value(tile.rank(), [&](auto n, int) { tile.next_q[n] = tile.q[n] + tile.increment[n]; });
  tile.set_mean_gas(tile.next_q);
  if (tile.is_quartic())
    add_mean_force(tile, s);
  else
    add_discrete_gradient(tile, s);
  if (tile.has_damping()) {
    // Strains are quadratic: their change over the step is dE/dq in its middle, times d.
    tile.for_each_value(tile.rank(),
                        [&](auto n, int) { tile.next_q[n] = gauss_point(T{0.5}, tile.q[n], tile.increment[n]); });
    tile.evaluate_damping(tile.next_q);
    tile.for_each_value(tile.rank(), [&](auto n, int) { tile.argument[n] = tile.increment[n] / s.dt; });
    tile.damp(tile.argument, tile.residual);
  }
  tile.clear_driven(tile.residual);
}

/// K's part of the residual's derivative, into h; the rest of the system matrix is a multiple of the identity.
template <class S, class T>
void form_mean_system(Tile<S>& tile, const StepSettings<T>& s) {
  typename Tile<S>::LaneValues first, second, damping;
  tile.set_damping_weight(1 / s.dt);
  for (std::size_t l = 0; l < first.size(); ++l) {
    damping[l] = gauss_damping(s, tile.rayleigh_stiffness[l]);
    first[l] = gauss_stiffness(gauss_share<T>(false), damping[l], tile.stiffness_scale[l]);
    second[l] = gauss_stiffness(gauss_share<T>(true), damping[l], tile.stiffness_scale[l]);
    const SystemScales<T> system = conserving_system(s, tile.rayleigh_mass[l]);
    tile.scale[l] = system.stiffness;
    tile.diagonal[l] = system.diagonal;
  }
  if (!tile.is_quartic()) {
    tile.for_each_value(tile.stiffness_rows(), [&](auto n, int l) {
      tile.h[n] *= middle_stiffness(damping[static_cast<std::size_t>(l)], tile.stiffness_scale[l]);
    });
    return;
  }
  tile.for_each_value(tile.stiffness_rows(), [&](auto n, int lane) {
    const auto l = static_cast<std::size_t>(lane);
    tile.h[n] = first[l] * tile.h[n] + second[l] * tile.second_h[n];
  });
  tile.form_mean_gas(damping);
}

/// The square of the size of the terms that the residual is the sum of.
template <class S, class T>
typename Tile<S>::LaneValues squared_scales(Tile<S>& tile, const StepSettings<T>& s) {
  tile.for_each_value(tile.rank(), [&](auto n, int) {
    tile.argument[n] = conserving_term(s, tile.increment[n], tile.velocity[n], load_of(tile, n));
  });
  return tile.squared_norms(tile.argument);
}

/// The state after the increment.
template <class S, class T>
void move_to_end(Tile<S>& tile, const StepSettings<T>& s) {
  tile.for_each_value(tile.rank(), [&](auto n, int) {
    const RowState<T> next = conserving_state(s, tile.q[n], tile.velocity[n], tile.increment[n]);
    tile.next_q[n] = next.q;
    tile.next_velocity[n] = next.velocity;
    tile.next_acceleration[n] = next.acceleration;
  });
  tile.move_driven(s.dt);
}

}  // namespace quartic::cpu
