#include "support/reference_steps.hpp"

#include "support/dense.hpp"

namespace quartic::test {
namespace {

// The 2005 paper, Appendix C, line by line.
BodyState newmark_step(const SumOfSquares& body, const BodyState& start, const Eigen::VectorXd& f, double dt,
                       const BatchOptions& o) {
  const double b = o.newmark_beta, g = o.newmark_gamma;
  const double a1 = 1 / (b * dt * dt), a2 = 1 / (b * dt), a3 = (1 - 2 * b) / (2 * b);
  const double a4 = g / (b * dt), a5 = 1 - g / b, a6 = (1 - g / (2 * b)) * dt;
  const Eigen::MatrixXd mass = Eigen::MatrixXd::Identity(body.rank(), body.rank());
  Eigen::VectorXd q = start.q;
  for (int j = 0; j < o.newton_iterations; ++j) {
    const Eigen::MatrixXd k = body.stiffness(q);
    const Eigen::MatrixXd c = o.rayleigh_mass * mass + o.rayleigh_stiffness * k;
    const Eigen::MatrixXd system = a1 * mass + a4 * c + k;
    const Eigen::VectorXd residual = mass * (a1 * (q - start.q) - a2 * start.v - a3 * start.a) +
                                     c * (a4 * (q - start.q) + a5 * start.v + a6 * start.a) + body.force(q) - f;
    if (residual.norm() < o.newton_tolerance) break;
    q += solve(system, -residual);
  }
  return {q, a4 * (q - start.q) + a5 * start.v + a6 * start.a, a1 * (q - start.q) - a2 * start.v - a3 * start.a};
}

// v_1 = v_0 + dt (f - R(q_1) - C v_1), q_1 = q_0 + dt v_1, Newton in v_1.
BodyState backward_euler_step(const SumOfSquares& body, const BodyState& start, const Eigen::VectorXd& f, double dt,
                              const BatchOptions& o) {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(body.rank(), body.rank());
  Eigen::VectorXd v = Eigen::VectorXd::Zero(body.rank());  // q_1 = q_0
  for (int j = 0; j < o.newton_iterations; ++j) {
    const Eigen::VectorXd q = start.q + dt * v;
    const Eigen::MatrixXd k = body.stiffness(q);
    const Eigen::MatrixXd c = o.rayleigh_mass * identity + o.rayleigh_stiffness * k;
    const Eigen::VectorXd residual = v - start.v + dt * (c * v + body.force(q) - f);
    v -= solve(identity + dt * c + dt * dt * k, residual);
  }
  return {start.q + dt * v, v, (v - start.v) / dt};
}

// The half-step velocity before the start follows from the stored acceleration.
BodyState central_differences_step(const SumOfSquares& body, const BodyState& start, const Eigen::VectorXd& f,
                                   double dt, const BatchOptions& o) {
  const auto acceleration = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& half) -> Eigen::VectorXd {
    return f - body.force(q) - o.rayleigh_mass * half - o.rayleigh_stiffness * (body.stiffness(q) * half);
  };
  const Eigen::VectorXd a = acceleration(start.q, start.v - 0.5 * dt * start.a);
  const Eigen::VectorXd half = start.v + 0.5 * dt * a;
  const Eigen::VectorXd q = start.q + dt * half;
  const Eigen::VectorXd next = acceleration(q, half);
  return {q, half + 0.5 * dt * next, next};
}

// The mean force along the segment by Simpson's rule, which is exact for a cubic; mean K d = R(q_1) - R(q_0).
BodyState energy_conserving_step(const SumOfSquares& body, const BodyState& start, const Eigen::VectorXd& f, double dt,
                                 const BatchOptions& o) {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(body.rank(), body.rank());
  Eigen::VectorXd d = Eigen::VectorXd::Zero(body.rank());
  for (int j = 0; j < 30; ++j) {
    const Eigen::VectorXd q = start.q + d, middle = start.q + 0.5 * d;
    const Eigen::VectorXd mean = (body.force(start.q) + 4 * body.force(middle) + body.force(q)) / 6;
    const Eigen::VectorXd residual = (2 / dt) * (d / dt - start.v) + mean - f + o.rayleigh_mass / dt * d +
                                     o.rayleigh_stiffness / dt * (body.force(q) - body.force(start.q));
    const Eigen::MatrixXd tangent = (2 / (dt * dt) + o.rayleigh_mass / dt) * identity + body.stiffness(middle) / 3 +
                                    (1.0 / 6 + o.rayleigh_stiffness / dt) * body.stiffness(q);
    d -= solve(tangent, residual);
  }
  const Eigen::VectorXd v = 2 / dt * d - start.v;
  return {start.q + d, v, (v - start.v) / dt};
}

}  // namespace

BodyState reference_step(const SumOfSquares& body, const BodyState& start, const Eigen::VectorXd& f, double dt,
                         const BatchOptions& options) {
  switch (options.integrator) {
    case Integrator::newmark:
      return newmark_step(body, start, f, dt, options);
    case Integrator::backward_euler:
      return backward_euler_step(body, start, f, dt, options);
    case Integrator::central_differences:
      return central_differences_step(body, start, f, dt, options);
    case Integrator::energy_conserving:
      return energy_conserving_step(body, start, f, dt, options);
  }
  return start;
}

}  // namespace quartic::test
