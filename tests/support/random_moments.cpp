#include "support/random_moments.hpp"

#include <Eigen/QR>
#include <cstddef>
#include <cstdint>

#include "support/batch_states.hpp"

namespace quartic::test {

FrameMoments random_moments(int rank, unsigned seed) {
  const int points = rank + 8;
  const Eigen::VectorXd numbers = random_vector(3 * points * (rank + 1), seed, 1);
  const Eigen::Map<const Eigen::MatrixXd> all(numbers.data(), 3 * points, rank + 1);
  const auto centred = [&](Eigen::MatrixXd fields) {  // all masses are 1
    for (int c = 0; c < 3; ++c)
      for (Eigen::Index i = 0; i < fields.cols(); ++i) {
        double mean = 0;
        for (int a = 0; a < points; ++a) mean += fields(3 * a + c, i) / points;
        for (int a = 0; a < points; ++a) fields(3 * a + c, i) -= mean;
      }
    return fields;
  };
  const Eigen::MatrixXd x = centred(all.col(0)), fields = centred(all.rightCols(rank));
  const Eigen::MatrixXd u =
      Eigen::HouseholderQR<Eigen::MatrixXd>(fields).householderQ() * Eigen::MatrixXd::Identity(3 * points, rank);
  FrameMoments m{.mass = double(points)};
  m.unit_acceleration = Matrix(rank, 3);
  m.moment0 = Matrix(3, 3), m.moment1 = Matrix(9, rank), m.moment2 = Matrix(9, rank * (rank + 1) / 2);
  const auto add = [&](Matrix& to, std::int64_t column, const auto& first, const auto& second) {
    for (int a = 0; a < points; ++a)
      for (int b = 0; b < 3; ++b)
        for (int c = 0; c < 3; ++c)
          to.values[static_cast<std::size_t>(9 * column + 3 * b + c)] += first(3 * a + b) * second(3 * a + c);
  };
  add(m.moment0, 0, x.col(0), x.col(0));
  std::int64_t pair = 0;
  for (int i = 0; i < rank; ++i) add(m.moment1, i, x.col(0), u.col(i));
  for (int i = 0; i < rank; ++i)
    for (int j = i; j < rank; ++j) add(m.moment2, pair++, u.col(i), u.col(j));
  return m;
}

}  // namespace quartic::test
