#include "support/sample_energies.hpp"

#include <algorithm>
#include <cmath>

#include "support/dense.hpp"
#include "support/support.hpp"

namespace quartic::test {

double SumOfSquares::value(const Eigen::VectorXd& q, std::size_t a) const {
  return b.col(static_cast<Eigen::Index>(a)).dot(q) + 0.5 * q.dot(h[a] * q);
}

double SumOfSquares::energy_at(const Eigen::VectorXd& q) const {
  double sum = 0;
  for (std::size_t a = 0; a < h.size(); ++a) sum += 0.5 * value(q, a) * value(q, a);
  return sum;
}

Eigen::VectorXd SumOfSquares::force(const Eigen::VectorXd& q) const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(rank());
  for (std::size_t a = 0; a < h.size(); ++a) sum += value(q, a) * gradient(q, a);
  return sum;
}

Eigen::MatrixXd SumOfSquares::stiffness(const Eigen::VectorXd& q) const {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(rank(), rank());
  for (std::size_t a = 0; a < h.size(); ++a) sum += gradient(q, a) * gradient(q, a).transpose() + value(q, a) * h[a];
  return sum;
}

QuarticEnergy SumOfSquares::energy() const {
  const auto r = static_cast<Eigen::Index>(rank());
  QuarticEnergy result{.rank = rank(), .coefficients = {}};
  std::vector<Eigen::MatrixXd> forms;
  for (std::size_t a = 0; a < h.size(); ++a) {
    Eigen::MatrixXd form = Eigen::MatrixXd::Zero(r + 1, r + 1);
    form.bottomRightCorner(r, r) = h[a];
    form.col(0).tail(r) = b.col(static_cast<Eigen::Index>(a));
    form.row(0).tail(r) = b.col(static_cast<Eigen::Index>(a)).transpose();
    forms.push_back(form);
  }
  for (Eigen::Index i = 0; i <= r; ++i)
    for (Eigen::Index j = i; j <= r; ++j)
      for (Eigen::Index k = j; k <= r; ++k)
        for (Eigen::Index l = k; l <= r; ++l) {
          double sum = 0;
          for (const Eigen::MatrixXd& f : forms) sum += f(i, j) * f(k, l) + f(i, k) * f(j, l) + f(i, l) * f(j, k);
          result.coefficients.push_back(sum);
        }
  return result;
}

StrainForm SumOfSquares::strain_form() const {
  const Eigen::Index r = rank(), strains = strain_count(r);  // as many squares at least, or zeros
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(std::max(strains, b.cols()), strains);
  for (Eigen::Index a = 0; a < b.cols(); ++a) {
    rows.row(a).head(r) = b.col(a).transpose();
    Eigen::Index column = r;
    for (Eigen::Index i = 0; i < r; ++i)
      for (Eigen::Index j = i; j < r; ++j)
        rows(a, column++) = (i == j ? 0.5 : 1.0) * h[static_cast<std::size_t>(a)](i, j);
  }
  const Eigen::MatrixXd triangle = triangle_of_qr(rows);
  StrainForm form{.rank = rank(), .factor = {}};
  for (Eigen::Index row = 0; row < strains; ++row)
    for (Eigen::Index column = row; column < strains; ++column) form.factor.push_back(triangle(row, column));
  return form;
}

Eigen::VectorXd SumOfSquares::gradient(const Eigen::VectorXd& q, std::size_t a) const {
  return b.col(static_cast<Eigen::Index>(a)) + h[a] * q;
}

SumOfSquares random_squares(int rank, unsigned seed, int count) {
  const auto n = static_cast<std::size_t>(rank);
  const std::vector<double> numbers = random_numbers(static_cast<std::size_t>(count) * (n + n * n), seed);
  const double* next = numbers.data();
  SumOfSquares squares{.b = Eigen::MatrixXd(rank, count), .h = {}};
  for (int a = 0; a < count; ++a) {
    for (int i = 0; i < rank; ++i) squares.b(i, a) = (i == a ? 5 + 10.0 * a / rank : 0) + *next++ / rank;
    Eigen::MatrixXd h(rank, rank);
    for (int i = 0; i < rank; ++i)
      for (int j = 0; j < rank; ++j) h(i, j) = 5 * *next++ / std::sqrt(rank);
    squares.h.push_back(0.5 * (h + h.transpose()));
  }
  return squares;
}

SumOfSquares random_squares(int rank, unsigned seed) {
  return random_squares(rank, seed, rank);
}

QuarticEnergy duffing(double linear, double cubic) {
  return {.rank = 1, .coefficients = {0, 0, 2 * linear, 0, 6 * cubic}};
}

}  // namespace quartic::test
