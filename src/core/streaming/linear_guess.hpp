// What the next acceleration of a linear body would be, from those before.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/streaming/acceleration_state.hpp"
#include "quartic/matrix.hpp"
#include "quartic/streaming.hpp"

namespace quartic {

/// a + C v + K q = f with C = alpha I + beta K, mode by mode. In free vibration a mode's accelerations are
///   a_(n+1) = trace a_n - det a_(n-1),
/// of the step (q, v) -> (q', v') by the rule, whatever the constant force is. The receiver's own q isn't used: what
/// was lost makes it drift, and guesses from it would feed that back until stiff modes diverge.
///
/// Each body has its modes' a_n and a_(n-1). Of an a_n that arrives, what is off moves a_(n-1) by trace / (2 det) times
/// it: the orthogonal projection in the norm a_n^2 - trace a_n a_(n-1) + det a_(n-1)^2, which no step makes larger.
/// So errors don't grow, whatever is lost, and a force that sets in is taken for a new mean. In slow modes only what
/// two in a row are off by is taken: an impulse of one step isn't a vibration.
/// Where holding the last acceleration was nearer to what arrived, as in stiff modes that follow slow ones of a
/// nonlinear body, it is held.
class LinearGuess {
 public:
  LinearGuess(const Matrix& stiffness, double alpha, double beta, const std::vector<double>& force, std::int64_t bodies)
      : now_(Eigen::MatrixXd::Zero(stiffness.rows, bodies)),
        before_(now_),
        off_(now_),
        held_(now_),
        misses_(now_),
        held_misses_(now_),
        slow_(static_cast<std::size_t>(stiffness.rows)) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(stiffness.map());
    stiffness_ = solver.eigenvalues();
    shapes_ = solver.eigenvectors();
    damping_ = (alpha + beta * stiffness_.array()).matrix();
    force_ = Eigen::VectorXd::Zero(stiffness_.size());
    for (std::size_t i = 0; i < force.size(); ++i) force_[static_cast<Eigen::Index>(i)] = force[i];
    force_ = shapes_.transpose() * force_;
    trace_ = det_ = mix_ = Eigen::VectorXd::Zero(stiffness_.size());
  }

  /// @param rule that of the motion, h its step
  void start(const AccelerationRule& rule, double h) {
    rule_ = rule;
    h_ = h;
    for (Eigen::Index i = 0; i < stiffness_.size(); ++i) set_recurrence(i);
  }

  /// Puts a body where a whole state is.
  void set(const AccelerationState& state, std::int64_t body, std::int64_t bodies) {
    const Eigen::VectorXd q = shapes_.transpose() * column(state.q, body, bodies),
                          v = shapes_.transpose() * column(state.velocity, body, bodies),
                          a = shapes_.transpose() * column(state.acceleration, body, bodies);
    // A body without acceleration hasn't been stepped yet.
    const Eigen::VectorXd force =
        a.isZero(0) ? force_ : (a + damping_.cwiseProduct(v) + stiffness_.cwiseProduct(q)).eval();
    for (Eigen::Index i = 0; i < a.size(); ++i) {
      const double next = implicit(i, q[i] + h_ * v[i] + rule_.before * h_ * h_ * a[i],
                                   v[i] + (1 - rule_.gamma) * h_ * a[i], force[i], rule_);
      now_(i, body) = a[i];
      before_(i, body) = det_[i] > 0 ? (trace_[i] * a[i] - next) / det_[i] : 0;
      held_(i, body) = a[i];
      off_(i, body) = misses_(i, body) = held_misses_(i, body) = 0;
    }
  }

  /// Goes on by a step.
  void advance(std::int64_t body) {
    for (Eigen::Index i = 0; i < trace_.size(); ++i) {
      const double next = trace_[i] * now_(i, body) - det_[i] * before_(i, body);
      before_(i, body) = now_(i, body);
      now_(i, body) = next;
    }
  }
  /// What is guessed: writes one body's column of `to`, shape (r, B), C order.
  void write(std::int64_t body, std::int64_t bodies, std::span<double> to) {
    Eigen::VectorXd chosen(now_.rows());
    for (Eigen::Index i = 0; i < chosen.size(); ++i)
      chosen[i] = held_misses_(i, body) < misses_(i, body) ? held_(i, body) : now_(i, body);
    held_.col(body) = chosen;
    const Eigen::VectorXd guess = shapes_ * chosen;
    for (Eigen::Index i = 0; i < guess.size(); ++i) to[static_cast<std::size_t>(i * bodies + body)] = guess[i];
  }
  /// What arrived of this step. @param from shape (r, B), C order
  void observe(std::int64_t body, std::int64_t bodies, std::span<const double> from) {
    const Eigen::VectorXd arrived = shapes_.transpose() * column(from, body, bodies), off = arrived - now_.col(body),
                          moved = arrived - held_.col(body);
    misses_.col(body) = forgetting * misses_.col(body) + off.cwiseAbs2();
    held_misses_.col(body) = forgetting * held_misses_.col(body) + moved.cwiseAbs2();
    held_.col(body) = arrived;
    for (Eigen::Index i = 0; i < off.size(); ++i) {
      const double last = std::exchange(off_(i, body), off[i]);
      const double share = slow_[static_cast<std::size_t>(i)] ? common(off[i], last) : off[i];
      now_(i, body) += share;
      before_(i, body) += mix_[i] * share;
    }
  }

 private:
  /// The smaller of two numbers of one sign, else 0.
  static double common(double a, double b) {
    if ((a > 0) != (b > 0)) return 0;
    return std::abs(a) < std::abs(b) ? a : b;
  }
  static Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<>> column(std::span<const double> of,
                                                                           std::int64_t body, std::int64_t bodies) {
    return {of.data() + body, std::ssize(of) / bodies, Eigen::InnerStride<>(bodies)};
  }

  /// a' of a mode from what q' and v' are without it.
  [[nodiscard]] double implicit(Eigen::Index i, double q, double v, double force, const AccelerationRule& rule) const {
    return (force - damping_[i] * v - stiffness_[i] * q) /
           (1 + rule.gamma * h_ * damping_[i] + rule.after * h_ * h_ * stiffness_[i]);
  }

  void set_recurrence(Eigen::Index i) {
    // Energy-conserving steps, whose acceleration is that in the middle, go on as those of average acceleration.
    const bool middle = rule_.before == 0 && rule_.after == 0.5 && rule_.gamma == 1;
    const AccelerationRule rule = middle ? AccelerationRule{} : rule_;
    // Both columns of the step (q, h v) -> (q', h v').
    const auto step = [&](double q, double v) {
      const double a = -damping_[i] * v / h_ - stiffness_[i] * q;
      const double q_next = q + v + rule.before * h_ * h_ * a, v_next = v + (1 - rule.gamma) * h_ * h_ * a;
      const double next = implicit(i, q_next, v_next / h_, 0, rule);
      return Eigen::Vector2d(q_next + rule.after * h_ * h_ * next, v_next + rule.gamma * h_ * h_ * next);
    };
    Eigen::Matrix2d matrix;
    matrix << step(1, 0), step(0, 1);
    const double trace = matrix.trace(), det = matrix.determinant();
    const bool vibrates = trace * trace < 4 * det && det <= 1 + 1e-9;
    if (vibrates) {
      trace_[i] = trace, det_[i] = det, mix_[i] = trace / (2 * det);
      slow_[static_cast<std::size_t>(i)] = trace > 2 * std::cos(most_slow_angle) * std::sqrt(det);
      return;
    }
    // Without a vibration the slow part is what stays; what would grow is held.
    const double slow = trace / 2 + std::sqrt(std::max(0.0, trace * trace / 4 - det));
    trace_[i] = std::abs(slow) <= 1 ? slow : 1;
    det_[i] = mix_[i] = 0;
    slow_[static_cast<std::size_t>(i)] = true;
  }

  static constexpr double forgetting = 0.95;      // of squares, in a step
  static constexpr double most_slow_angle = 0.7;  // of a mode that hardly turns in a step

  Eigen::MatrixXd shapes_, now_, before_;  // modes as columns; a_n and a_(n-1) of each mode and body
  Eigen::MatrixXd off_;                    // what the last one that arrived was off
  // The last acceleration of each mode and body, and squares of what the guess and it were off by.
  Eigen::MatrixXd held_, misses_, held_misses_;
  std::vector<bool> slow_;
  Eigen::VectorXd stiffness_, damping_, force_, trace_, det_, mix_;
  AccelerationRule rule_;
  double h_ = 0;
};

}  // namespace quartic
