// Newton's method of src/cpu/contact/newton_stepper.cpp for one body, from one round of products to the next: whoever
// has made the products of the points that a body has asked for calls `advance`, and the body asks for others, or is
// done.
#pragma once

#include <limits>

#include "cuda/contact/near_system.cuh"
#include "cuda/energy/step_progress.hpp"

namespace quartic::cuda {

template <class T>
class NearStepper {
 public:
  __device__ NearStepper(const WorldView<T>& world, std::int64_t seat) : b_(world, seat), contacts_(b_) {}

  [[nodiscard]] __device__ NearBody<T>& body() { return b_; }

  /// From the state of the batch.
  __device__ void begin() {
    b_.begin();
    if (b_.flies() && b_.s.takes_mean) {
      contacts_.touch(b_.world.shapes.start, b_.rigid.start, b_.q(), b_.velocity());
      if (near_thread() == 0) b_.rigid.start_force = b_.rigid.force, b_.rigid.start_torque = b_.rigid.torque;
      __syncthreads();
    }
    ask();
    if (near_thread() == 0) b_.world.near.open[b_.seat] = 1;
  }
  /// Given the products. @return whether there is more to do
  __device__ bool advance() {
    b_.move();
    contacts_.touch(b_.world.shapes.end, b_.rigid.end, b_.next_q(), b_.next_velocity());
    const typename NearBody<T>::Left left = b_.evaluate();
    const Verdict verdict = judge(left);
    if (verdict == Verdict::open) {
      ask();
      return true;
    }
    finish(verdict);
    if (near_thread() == 0) b_.world.near.open[b_.seat] = 0;
    return false;
  }

 private:
  using Left = typename NearBody<T>::Left;
  enum class Verdict { open, converged, not_converged, diverged };
  // See NewtonStepper::solve and iterate.
  static constexpr double widest = 4096, narrower = 0.25;
  static constexpr int secants_at_first = 2, downhill_tries = 10, less_tries = 6;

  __device__ void ask() {
    b_.move();
    b_.put_points();
  }

  // All threads decide alike, by what lies in shared memory, which one thread changes behind a barrier.
  template <class Update>
  __device__ void change(const Update& update) {
    __syncthreads();
    if (near_thread() == 0) update(b_.search);
    __syncthreads();
  }

  __device__ Verdict judge(const Left& left) {
    const NearSearch search = b_.search;
    if (goes_back(search, left)) return Verdict::open;
    if (search.trial != NearTrial::none && search.by_tangent != 0 && !(left.residual < search.last))
      change([](NearSearch& to) { to.secants = secants_at_first; });
    if (!(left.residual - left.residual == 0)) return Verdict::diverged;
    const double enough = b_.s.tolerance, nearly = fmin(1e3 * enough, 1e-6);
    const double last = search.trial == NearTrial::none ? std::numeric_limits<double>::infinity() : search.last;
    const bool solved =
        left.residual <= enough * left.size || (left.residual <= nearly * left.size && left.residual > 0.5 * last);
    if (!solved && search.iteration < b_.s.iterations) {
      iterate(left);
      return Verdict::open;
    }
    if (search.wide > 1) {
      narrow(search.wide * narrower);
      return Verdict::open;
    }
    if (!solved && search.wider == 0 && b_.s.law.friction > 0) {
      widen();
      return Verdict::open;
    }
    return solved ? Verdict::converged : Verdict::not_converged;
  }

  // Where the correction is too long for what it leaves, a share of it.
  __device__ bool goes_back(const NearSearch& search, const Left& left) {
    double part = search.part;
    if (search.trial == NearTrial::downhill) {
      const double slope = search.slope, there = left.along_correction;
      if (there >= -0.5 * slope || !(slope > 0) || search.tries == downhill_tries) return false;
      part *= fmin(fmax(slope / (slope - there), 0.1), 0.7);
    } else if (search.trial == NearTrial::to_less) {
      if (left.residual < (1 - 0.1 * part) * search.last || search.tries == less_tries) return false;
      part *= 0.5;
    } else {
      return false;
    }
    change([part](NearSearch& to) { to.part = part, ++to.tries; });
    go(part);
    return true;
  }

  // Back to where the correction began, and on by a share of it. Ends with a barrier.
  __device__ void go(double part) {
    for_each_index(b_.r, [&](int i) { b_.increment()[i] = b_.last_increment()[i] - part * b_.correction()[i]; });
    if (near_thread() == 0 && b_.flies()) {
      b_.rigid.end.spin = b_.search.spin - part * vector_at(b_.correction() + b_.r);
      b_.rigid.end.velocity = b_.search.velocity - part * vector_at(b_.correction() + b_.r + 3);
    }
    __syncthreads();
  }

  __device__ void iterate(const Left& left) {
    const bool by_tangent = b_.search.secants <= 0;
    NearSystem<T>(b_).form(by_tangent ? FrictionSlope::tangent : FrictionSlope::secant);
    for_each_index(b_.n, [&](int i) { b_.correction()[i] = b_.residual()[i]; });
    for_each_index(b_.r, [&](int i) { b_.last_increment()[i] = b_.increment()[i]; });
    solve_in_place(b_.n, b_.pitch(), b_.matrix(), b_.correction());
    const double slope = warp_dot(b_.residual(), b_.correction(), b_.r) +
                         b_.share() * warp_dot(b_.residual() + b_.r, b_.correction() + b_.r, b_.n - b_.r);
    const bool to_less = by_tangent && b_.s.law.friction > 0;
    change([&](NearSearch& to) {
      to.last = left.residual, to.part = 1, to.slope = slope;
      to.spin = b_.rigid.end.spin, to.velocity = b_.rigid.end.velocity;
      ++to.iteration, --to.secants, to.tries = 1;
      to.trial = to_less ? NearTrial::to_less : NearTrial::downhill, to.by_tangent = by_tangent ? 1 : 0;
    });
    go(1);
  }

  // The same place once more, by a friction that rises over another range of speeds.
  __device__ void begin_again(double wide) {
    change([wide](NearSearch& to) {
      to.wide = wide, to.iteration = 0, to.secants = secants_at_first, to.trial = NearTrial::none;
    });
  }
  __device__ void narrow(double wide) { begin_again(fmax(wide, 1.0)); }
  __device__ void widen() {
    begin_again(widest);
    change([](NearSearch& to) { to.wider = 1; });
    b_.go_on_as_before();
  }

  // ---- The end of the step

  // The velocities that the forces found give exactly, by one thread; then the state of all rows.
  __device__ void finish(Verdict verdict) {
    __syncthreads();
    const bool fast = contacts_.any_went_through(b_.world.shapes.end, b_.rigid.end, b_.next_q(), b_.next_velocity(),
                                                 b_.world.candidates.margins[b_.number]);
    const std::uint32_t flags = __syncthreads_or(fast ? 1 : 0) != 0 ? flag_too_fast : 0;
    if (near_thread() == 0 && b_.flies()) finish_rigid();
    __syncthreads();
    double defects = verdict == Verdict::diverged ? 1 : 0;
    for_each_index(b_.r, [&](int i) {
      defects += defect(b_.next_q()[i]) + defect(b_.next_velocity()[i]) + defect(b_.next_acceleration()[i]);
    });
    if (near_thread() == 0 && b_.flies()) defects += rigid_defects();
    const bool good = __syncthreads_or(defects != 0 ? 1 : 0) == 0;
    const WorldView<T>& world = b_.world;
    if (near_thread() == 0) {
      world.next.status[b_.number] = world.batch.status[b_.number];
      world.next.flags[b_.number] = world.batch.flags[b_.number] | (good ? flags : 0);
      world.next.outcomes[b_.number] = !good                           ? Outcome::diverged
                                       : verdict == Verdict::converged ? Outcome::solved
                                                                       : Outcome::not_converged;
    }
    if (good)
      store();
    else
      keep();
    if (good && near_warp() == 0) read_out();
  }

  __device__ void finish_rigid() {
    RigidMotion& m = b_.rigid;
    acceleration_ = (1 / b_.frame->mass) * b_.outer_force();
    m.end.velocity = m.start.velocity + b_.s.step.dt * acceleration_;
    m.end.spin = solve_spin(b_.s.spin, m.j, m.axial, m.start.spin, m.free_momentum, m.end.spin);
    contact_place_ = m.end.position;
    b_.move_rigid();
    m.spin_rate = spin_rate(b_.s.spin, m.start.spin, m.end.spin, m.spin_rate_before);
  }
  [[nodiscard]] __device__ double rigid_defects() const {
    const Place& end = b_.rigid.end;
    const auto sum = [](const Vector3& v) { return v.x + v.y + v.z; };
    return defect(sum(end.position) + sum(end.velocity) + sum(end.spin)) +
           defect(end.rotation.w + dot(end.rotation.vector, end.rotation.vector));
  }

  // By one warp.
  __device__ void read_out() const {
    int touching = 0;
    for (int c = near_lane(); c < b_.count; c += warp_size) touching += contacts_.record(record_gap, c) < 0 ? 1 : 0;
    touching = static_cast<int>(__reduce_add_sync(all_lanes, static_cast<unsigned>(touching)));
    if (near_lane() != 0) return;
    const RigidMotion& m = b_.rigid;
    const ReadoutView& readout = b_.world.readout;
    const Vector3 torque = b_.flies() ? m.torque + cross(m.arm_origin - contact_place_, m.force) : m.torque;
    put_vector(m.force, readout.wrench + 6 * b_.number);
    put_vector(torque, readout.wrench + 6 * b_.number + 3);
    readout.counts[b_.number] = touching;
    if (!b_.flies()) return;
    const double h = b_.s.step.dt;
    const Vector3 force = b_.s.takes_mean ? 0.5 * (m.start_force + m.force) : m.force;
    const Vector3 turn = b_.s.takes_mean ? 0.5 * (m.start_torque + m.torque) : m.torque;
    double* impulse = readout.impulse + 6 * b_.number;
    put_vector(vector_at(impulse) + h * force, impulse);
    put_vector(vector_at(impulse + 3) + h * (turn + cross(m.arm_origin, force)), impulse + 3);
  }

  __device__ void store() const {
    const NextStates<T>& next = b_.world.next;
    const std::int64_t pitch = b_.world.batch.pitch;
    for_each_index(b_.r, [&](int i) {
      const std::int64_t at = i * pitch + b_.number;
      next.q[at] = static_cast<T>(b_.next_q()[i]);
      next.velocity[at] = static_cast<T>(b_.next_velocity()[i]);
      next.acceleration[at] = static_cast<T>(b_.next_acceleration()[i]);
    });
    if (near_thread() != 0 || !b_.flies()) return;
    const auto put = [&](T* rows, int row, const Vector3& v) {
      T* to = rows + row * pitch + b_.number;
      to[0] = static_cast<T>(v.x), to[pitch] = static_cast<T>(v.y), to[2 * pitch] = static_cast<T>(v.z);
    };
    const RigidMotion& m = b_.rigid;
    put(next.pose, 0, m.end.position);
    put(next.pose, 3, m.end.rotation.vector);
    next.pose[6 * pitch + b_.number] = static_cast<T>(m.end.rotation.w);
    put(next.twist, 0, m.end.velocity);
    put(next.twist, 3, m.end.spin);
    put(next.twist_rate, 0, acceleration_);
    put(next.twist_rate, 3, m.spin_rate);
  }

  // A body that diverged has the state that it had.
  __device__ void keep() const {
    const NextStates<T>& next = b_.world.next;
    const BatchView<T>& batch = b_.world.batch;
    const auto copy = [&](const T* from, T* to, int rows) {
      for_each_index(rows, [&](int i) { to[i * batch.pitch + b_.number] = from[i * batch.pitch + b_.number]; });
    };
    copy(batch.q, next.q, b_.r);
    copy(batch.velocity, next.velocity, b_.r);
    copy(batch.acceleration, next.acceleration, b_.r);
    if (!b_.flies()) return;
    copy(batch.frame.pose, next.pose, 7);
    copy(batch.frame.twist, next.twist, 6);
    copy(batch.frame.twist_rate, next.twist_rate, 6);
  }

  NearBody<T> b_;
  NearContacts<T> contacts_;
  Vector3 acceleration_, contact_place_;  // of thread 0
};

}  // namespace quartic::cuda
