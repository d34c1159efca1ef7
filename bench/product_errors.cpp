#include "product_errors.hpp"

#include <Eigen/Dense>
#include <cstdint>
#include <functional>

#include "core/energy/quartic_polynomial.hpp"

namespace quartic::measure {
namespace {

struct ForceAndStiffness {
  Eigen::VectorXd force;
  Eigen::MatrixXd stiffness;
};

// From the columns of coefficient_matrix() times the monomials.
ForceAndStiffness evaluate(const Matrix& coefficients, const Eigen::VectorXd& q,
                           const std::function<double(std::span<const double>)>& product) {
  const auto r = static_cast<std::size_t>(q.size());
  const auto column = [&](std::size_t n) {
    const auto rows = static_cast<std::size_t>(coefficients.rows);
    return product(std::span<const double>(coefficients.values).subspan(n * rows, rows));
  };
  ForceAndStiffness result{Eigen::VectorXd(q.size()), Eigen::MatrixXd(q.size(), q.size())};
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t j = i; j < r; ++j)
      result.stiffness(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          result.stiffness(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = column(pair_index(i, j, r));
  for (std::size_t i = 0; i < r; ++i) result.force[static_cast<Eigen::Index>(i)] = column(r * (r + 1) / 2 + i);
  result.force = (result.force + result.stiffness * q) / 3;
  return result;
}

}  // namespace

ProductErrors product_errors(const BentBody& body, const std::vector<double>& coordinates,
                             const EmulatedProduct& product) {
  const Eigen::VectorXd q =
      Eigen::Map<const Eigen::VectorXd>(coordinates.data(), static_cast<Eigen::Index>(coordinates.size()))
          .cast<float>()
          .cast<double>();
  std::vector<float> rounded;
  std::vector<double> exact;
  const auto factor = [&](Eigen::Index c) { return c == 0 ? 1.0 : q[c - 1]; };
  for (Eigen::Index c = 0; c <= q.size(); ++c)
    for (Eigen::Index d = c; d <= q.size(); ++d) {
      exact.push_back(factor(c) * factor(d));
      rounded.push_back(static_cast<float>(exact.back()));
    }
  const Matrix coefficients = coefficient_matrix(body.model.energy);
  const ForceAndStiffness expected = evaluate(coefficients, q, [&](std::span<const double> c) {
    return Eigen::Map<const Eigen::VectorXd>(c.data(), static_cast<Eigen::Index>(c.size()))
        .dot(Eigen::Map<const Eigen::VectorXd>(exact.data(), static_cast<Eigen::Index>(exact.size())));
  });
  const ForceAndStiffness computed =
      evaluate(coefficients, q, [&](std::span<const double> c) { return double{product(c, rounded)}; });

  const Eigen::VectorXd force = computed.force - expected.force;
  const Eigen::LLT<Eigen::MatrixXd> factorization(expected.stiffness);
  Eigen::MatrixXd stiffness = factorization.matrixL().solve(computed.stiffness - expected.stiffness);
  stiffness = factorization.matrixL().solve(stiffness.transpose());
  return {force.norm() / expected.force.norm(), factorization.solve(force).norm() / q.norm(),
          Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness, Eigen::EigenvaluesOnly)
              .eigenvalues()
              .cwiseAbs()
              .maxCoeff()};
}

}  // namespace quartic::measure
