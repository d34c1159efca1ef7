// Quartic energies with a closed form, to check the polynomial against.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "quartic/energy.hpp"

namespace quartic::test {

/// V = 1/2 sum_a f_a^2 with f_a = b_a . q + 1/2 q^T H_a q: never negative, quartic, and R and K in closed form.
struct SumOfSquares {
  Eigen::MatrixXd b;               // column per square
  std::vector<Eigen::MatrixXd> h;  // symmetric

  [[nodiscard]] int rank() const { return static_cast<int>(b.rows()); }
  [[nodiscard]] double value(const Eigen::VectorXd& q, std::size_t a) const;
  [[nodiscard]] double energy_at(const Eigen::VectorXd& q) const;
  [[nodiscard]] Eigen::VectorXd force(const Eigen::VectorXd& q) const;
  [[nodiscard]] Eigen::MatrixXd stiffness(const Eigen::VectorXd& q) const;

  /// With F = (0 b^T; b H), f = 1/2 q^^T F q^ and S is the symmetrised sum of F_ab F_cd.
  [[nodiscard]] QuarticEnergy energy() const;

  /// The same as the triangle of a QR factorisation: row a of the matrix is f_a's coefficients of q_i, then of q_i q_j.
  [[nodiscard]] StrainForm strain_form() const;

 private:
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& q, std::size_t a) const;
};

/// Angular frequencies from 5 to 15 rad/s, quadratic terms that matter from |q| ~ 1 on. `count` squares; with fewer
/// than `rank`, the stiffness at rest is singular.
[[nodiscard]] SumOfSquares random_squares(int rank, unsigned seed, int count);
[[nodiscard]] SumOfSquares random_squares(int rank, unsigned seed);

/// One oscillator, V = 1/2 linear q^2 + 1/4 cubic q^4.
[[nodiscard]] QuarticEnergy duffing(double linear, double cubic);

}  // namespace quartic::test
