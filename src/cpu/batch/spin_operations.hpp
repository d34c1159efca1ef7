// A free body's angular velocity and pose in a step, lane by lane with the formulas of core/batch/free_scheme.hpp: what
// spin_kernels.cpp instantiates for each instruction set. Loops over lanes have no branch but by value, so that
// compilers make vectors of them; each lane sees the same operations whatever the others hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/batch/free_scheme.hpp"
#include "core/frame/inertia_forms.hpp"
#include "cpu/batch/frame_rows.hpp"
#include "cpu/frame/frame_kernels.hpp"

namespace quartic::cpu {

// Before a loop over lanes: what it writes isn't what it reads of another lane.
#if defined(__clang__)
#define QUARTIC_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define QUARTIC_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

/// What each does is said in spin_kernels.hpp.
template <class System>
struct SpinOperations {
  using T = typename System::Number;
  static constexpr int lanes = System::lanes;
  using Coefficients = FrameCoefficients<System>;
  using Settings = SpinSettings<T>;
  using Rows = FrameRows<T>;
  using At = LaneRows<T, lanes>;

  // B at the last evaluation, shape (3 r, lanes).
  [[gnu::always_inline]] static const T* axial(const Coefficients& c, const Rows& rows) {
    return rows.forms + Coefficients::axial_begin(c.rank) * lanes;
  }

  // B x, to rows.axial_part. @param x shape (r, lanes)
  [[gnu::always_inline]] static void axial_times(const Coefficients& c, const T* x, const Rows& rows) {
    T sums[3 * lanes] = {};
    for (int i = 0; i < c.rank; ++i)
      for (int axis = 0; axis < 3; ++axis) {
        const T* column = axial(c, rows) + std::ptrdiff_t{3 * i + axis} * lanes;
        QUARTIC_INDEPENDENT_LANES
        for (int l = 0; l < lanes; ++l) sums[axis * lanes + l] += x[i * lanes + l] * column[l];
      }
    std::copy_n(sums, 3 * lanes, rows.axial_part);
  }

  // pi = J w + B q' of the spin `spin`, with rows.axial_part = B q'.
  [[gnu::always_inline]] static void find_momentum(const T* spin, const Rows& rows) {
    QUARTIC_INDEPENDENT_LANES
    for (int l = 0; l < lanes; ++l)
      At::put(rows.momentum, l, At::symmetric(rows.inertia, l) * At::vector(spin, l) + At::vector(rows.axial_part, l));
  }

  // The start's momentum with the torque's impulse, in body axes.
  [[gnu::always_inline]] static void add_torque(const Settings& s, const Rows& rows) {
    QUARTIC_INDEPENDENT_LANES
    for (int l = 0; l < lanes; ++l) {
      const auto torque = rows.load[l] * At::spin(rows.wrench, l);
      const auto own = rotate(conjugate(At::rotation(rows.pose, l)), torque);
      At::put(rows.start_momentum, l, At::vector(rows.momentum, l) + s.dt * own);
    }
  }

  // residual += B^T w' - 2 A(w) q' - 1/2 w^T D w, and what is left of the momentum's equation at the quadratic terms'
  // velocity, as the matrix has it: J w1 + B q'1 - cay(h u)^T pi0, with rows.axial_part = B q'1.
  [[gnu::always_inline]] static void add_inertia_force(const Coefficients& c, const Settings& s, const Rows& rows,
                                                       T* residual) {
    T rates[3 * lanes];
    QUARTIC_INDEPENDENT_LANES
    for (int l = 0; l < lanes; ++l) {
      const auto w0 = At::spin(rows.twist, l), w1 = At::spin(rows.next_twist, l);
      At::put(rates, l, spin_rate(s, w0, w1, At::spin(rows.twist_rate, l)));
      const auto u = middle_spin(s, w0, At::vector(rows.quadratic_spin, l));
      const auto turned = rotate(conjugate(frame::cayley(s.dt * u)), At::vector(rows.start_momentum, l));
      At::put(rows.spin_defect, l, At::symmetric(rows.inertia, l) * w1 + At::vector(rows.axial_part, l) - turned);
    }
    for (int i = 0; i < c.rank; ++i) {
      const T *form = rows.forms + std::ptrdiff_t{symmetric_entries} * i * lanes,
              *column = axial(c, rows) + 3 * i * lanes, *turned = rows.turned + 3 * i * lanes;
      T* sum = residual + i * lanes;
      QUARTIC_INDEPENDENT_LANES
      for (int l = 0; l < lanes; ++l) {
        const auto w = At::vector(rows.quadratic_spin, l);
        sum[l] += dot(At::vector(column, l), At::vector(rates, l)) + 2 * dot(w, At::vector(turned, l)) -
                  dot(w, At::symmetric(form, l) * w) / 2;
      }
    }
  }

  // With rows of residual r and defect g for the unknowns d and w,
  //   A d + k B^T w = -r,   a B d + J w = -g     gives     (A - k a B^T J^-1 B) d = -(r - k B^T J^-1 g).
  // @param scale of K in A, shape (lanes)
  [[gnu::always_inline]] static void eliminate_spin(const Coefficients& c, const Settings& s, const T* scale,
                                                    const Rows& rows, T* residual) {
    T spun[3 * lanes], weights[lanes], factors[symmetric_entries * lanes];
    QUARTIC_INDEPENDENT_LANES
    for (int l = 0; l < lanes; ++l) {
      const frame::Cholesky3<T> factor(At::symmetric(rows.inertia, l));
      At::put(spun, l, s.rate * factor.solve(At::vector(rows.spin_defect, l)));
      weights[l] = std::sqrt(s.rate * s.velocity / scale[l]);
      At::put(factors, l, {factor.x, factor.y, factor.z});
      At::put(factors + 3 * lanes, l, {factor.zy, factor.zx, factor.yx});
    }
    for (int i = 0; i < c.rank; ++i) {
      const T* column = axial(c, rows) + 3 * i * lanes;
      T *sum = residual + i * lanes, *x = rows.coupling + i * lanes, *y = x + c.rank * lanes, *z = y + c.rank * lanes;
      QUARTIC_INDEPENDENT_LANES
      for (int l = 0; l < lanes; ++l) {
        const auto b = At::vector(column, l);
        const auto f = At::symmetric(factors, l);  // of Cholesky's factor, its entries at the places of a matrix's
        sum[l] -= dot(b, At::vector(spun, l));
        const T bx = f.xx * b.x, by = f.yy * (b.y - f.xy * bx), bz = f.zz * (b.z - f.xz * bx - f.yz * by);
        x[l] = weights[l] * bx, y[l] = weights[l] * by, z[l] = weights[l] * bz;
      }
    }
  }

  // Not by a product: 0 times what isn't finite would reach lanes that are to be left alone.
  [[gnu::always_inline]] static void subtract_chosen(const T* chosen, const T* change, T* vectors) {
    for (int axis = 0; axis < 3; ++axis) {
      QUARTIC_INDEPENDENT_LANES
      for (int l = 0; l < lanes; ++l) vectors[axis * lanes + l] -= chosen[l] != 0 ? change[axis * lanes + l] : T{0};
    }
  }

  // The angular velocity for the increment d <- d - delta in the lanes whose `chosen` is 1, not 0, as the system has
  // it, with rows.axial_part = B delta.
  [[gnu::always_inline]] static void correct_spin(const Settings& s, const T* chosen, const Rows& rows) {
    T* spin = rows.next_twist + 3 * lanes;
    T change[3 * lanes];
    QUARTIC_INDEPENDENT_LANES
    for (int l = 0; l < lanes; ++l) {
      const frame::Cholesky3<T> factor(At::symmetric(rows.inertia, l));
      At::put(change, l, factor.solve(At::vector(rows.spin_defect, l) - s.velocity * At::vector(rows.axial_part, l)));
    }
    subtract_chosen(chosen, change, spin);
  }

  // solve_spin in all lanes whose `chosen` is 1, not 0, with rows.axial_part = B q'1.
  [[gnu::always_inline]] static void solve_spins(const Settings& s, const T* chosen, const Rows& rows) {
    T* spin = rows.next_twist + 3 * lanes;
    T open[lanes], change[3 * lanes];
    std::copy_n(chosen, lanes, open);
    for (int iteration = 0; iteration < spin_iterations; ++iteration) {
      QUARTIC_INDEPENDENT_LANES
      for (int l = 0; l < lanes; ++l) {
        const auto w = At::vector(spin, l);
        const SpinTrial<T> trial(s, At::symmetric(rows.inertia, l), At::vector(rows.axial_part, l),
                                 At::spin(rows.twist, l), At::vector(rows.start_momentum, l), w);
        At::put(change, l, trial.correction(s, At::symmetric(rows.inertia, l)));
        open[l] = trial.is_solved() ? T{0} : open[l];
      }
      subtract_chosen(open, change, spin);
      if (std::all_of(open, open + lanes, [](T value) { return value == 0; })) break;
    }
  }

  // Pose, velocities and their rates at the step's end.
  [[gnu::always_inline]] static void advance(const Coefficients& c, const Settings& s, const Rows& rows) {
    QUARTIC_INDEPENDENT_LANES
    for (int l = 0; l < lanes; ++l) {
      const auto w0 = At::spin(rows.twist, l), w1 = At::spin(rows.next_twist, l), v0 = At::vector(rows.twist, l);
      const auto acceleration = (rows.load[l] / c.mass) * At::vector(rows.wrench, l), v1 = v0 + s.dt * acceleration;
      const auto step = middle_spin(s, v0, v1);  // the same mean
      const auto turn = frame::cayley(s.dt * middle_spin(s, w0, w1));
      At::put(rows.next_pose, l, At::vector(rows.pose, l) + s.dt * step);
      At::put_rotation(rows.next_pose, l, normalised(At::rotation(rows.pose, l) * turn));
      At::put(rows.next_twist, l, v1);
      At::put(rows.next_twist_rate, l, acceleration);
      At::put(rows.next_twist_rate + 3 * lanes, l, spin_rate(s, w0, w1, At::spin(rows.twist_rate, l)));
    }
  }

  // The energy-conserving scheme's mean inertia force besides q'',
  //   (B1^T w1 - B0^T w0) / h - 1/2 w0^T D(qm) w1 - 1/2 (A(w0) q'1 + A(w1) q'0),   A(w) x = -w_k (x_p A_pi)_k,
  // with (q'1)_p A_pi = 2/h (B1 - B0) - (q'0)_p A_pi, since q'1 = 2/h (q1 - q0) - q'0.
  // @param sizes gets the size of its terms, shape (r, lanes)
  [[gnu::always_inline]] static void add_mean_inertia_force(const Coefficients& c, const Settings& s, const Rows& rows,
                                                            T* residual, T* sizes) {
    const std::ptrdiff_t begin = Coefficients::axial_begin(c.rank) * lanes;
    const T *axial0 = rows.start_forms + begin, *axial1 = rows.forms + begin;
    const T h = s.dt;
    for (int i = 0; i < c.rank; ++i) {
      const T *form0 = rows.start_forms + std::ptrdiff_t{symmetric_entries} * i * lanes,
              *form1 = rows.forms + std::ptrdiff_t{symmetric_entries} * i * lanes;
      QUARTIC_INDEPENDENT_LANES
      for (int l = 0; l < lanes; ++l) {
        const auto w0 = At::spin(rows.twist, l), w1 = At::spin(rows.next_twist, l);
        const auto b0 = At::vector(axial0 + 3 * i * lanes, l), b1 = At::vector(axial1 + 3 * i * lanes, l);
        const auto turned0 = At::vector(rows.start_turned + 3 * i * lanes, l), turned1 = (2 / h) * (b1 - b0) - turned0;
        const auto d0 = At::symmetric(form0, l), d1 = At::symmetric(form1, l);
        const frame::Symmetric3<T> mean{(d0.xx + d1.xx) / 2, (d0.yy + d1.yy) / 2, (d0.zz + d1.zz) / 2,
                                        (d0.yz + d1.yz) / 2, (d0.xz + d1.xz) / 2, (d0.xy + d1.xy) / 2};
        const T start = dot(b0, w0) / h, end = dot(b1, w1) / h, centrifugal = dot(w0, mean * w1) / 2;
        const T coriolis = (dot(w0, turned1) + dot(w1, turned0)) / 2;
        residual[i * lanes + l] += end - start - centrifugal + coriolis;
        sizes[i * lanes + l] = std::abs(start) + std::abs(end) + std::abs(centrifugal) + std::abs(coriolis);
      }
    }
  }
};

}  // namespace quartic::cpu
