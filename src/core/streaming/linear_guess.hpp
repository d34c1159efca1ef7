// What the acceleration of a linear body would be, from the state that a receiver has.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/streaming/acceleration_state.hpp"
#include "quartic/matrix.hpp"
#include "quartic/streaming.hpp"

namespace quartic {

/// a + C v' + K q' = f with C = alpha I + beta K, and q', v' a step later by the rule of accelerations.
class LinearGuess {
 public:
  LinearGuess(const Matrix& stiffness, double alpha, double beta, const std::vector<double>& force,
              const AccelerationRule& rule, double h)
      : stiffness_(stiffness.map()), rule_(rule), h_(h) {
    const auto r = stiffness_.rows();
    damping_ = alpha * Eigen::MatrixXd::Identity(r, r) + beta * stiffness_;
    system_.compute(Eigen::MatrixXd::Identity(r, r) + rule.gamma * h * damping_ + rule.after * h * h * stiffness_);
    force_ = Eigen::VectorXd::Zero(r);
    for (std::size_t i = 0; i < force.size(); ++i) force_[static_cast<Eigen::Index>(i)] = force[i];
  }

  /// Writes one body's column of `to`, shape (r, B), C order.
  void at(const AccelerationState& state, std::int64_t body, std::int64_t bodies, std::span<double> to) const {
    using Column = Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<>>;
    const auto column = [&](const std::vector<double>& of) {
      return Column(of.data() + body, stiffness_.rows(), Eigen::InnerStride<>(bodies));
    };
    const auto q = column(state.q), v = column(state.velocity), a = column(state.acceleration);
    const Eigen::VectorXd q_next = q + h_ * v + rule_.before * h_ * h_ * a, v_next = v + (1 - rule_.gamma) * h_ * a;
    const Eigen::VectorXd guess = system_.solve(force_ - damping_ * v_next - stiffness_ * q_next);
    for (Eigen::Index i = 0; i < guess.size(); ++i) to[static_cast<std::size_t>(i * bodies + body)] = guess[i];
  }

 private:
  Eigen::MatrixXd stiffness_, damping_;
  Eigen::VectorXd force_;
  Eigen::PartialPivLU<Eigen::MatrixXd> system_;
  AccelerationRule rule_;
  double h_;
};

}  // namespace quartic
