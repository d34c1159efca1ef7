// Order of the coefficients, evaluation and coefficient matrix.
#include "core/energy/quartic_polynomial.hpp"

#include <Eigen/Core>
#include <array>
#include <limits>
#include <map>

#include "core/energy/quartic_tensor.hpp"
#include "quartic/error.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

QuarticEnergy random_energy(int rank, unsigned seed) {
  return {rank, test::random_numbers(static_cast<std::size_t>(quartic_coefficient_count(rank)), seed)};
}

TEST(QuarticPolynomial, SortedIndexCountsInLexicographicOrder) {
  for (std::size_t rank = 1; rank <= 9; ++rank) {
    std::size_t next = 0;
    for (std::size_t a = 0; a <= rank; ++a)
      for (std::size_t b = a; b <= rank; ++b)
        for (std::size_t c = b; c <= rank; ++c)
          for (std::size_t d = c; d <= rank; ++d) ASSERT_EQ(sorted_index(a, b, c, d, rank), next++);
    EXPECT_EQ(next, static_cast<std::size_t>(quartic_coefficient_count(static_cast<std::int64_t>(rank))));
  }
  EXPECT_EQ(sorted_index(255, 255, 255, 255, 255) + 1, static_cast<std::size_t>(quartic_coefficient_count(255)));
}

TEST(QuarticPolynomial, PairIndexCountsRowByRow) {
  for (std::size_t n = 1; n <= 9; ++n) {
    std::size_t next = 0;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a; b < n; ++b) ASSERT_EQ(pair_index(a, b, n), next++);
  }
}

// V by its definition: the sum over all (r+1)^4 index quadruples, looked up in a map of sorted ones.
double energy_by_definition(const QuarticEnergy& energy, const std::vector<double>& q) {
  std::map<std::array<int, 4>, double> tensor;
  std::size_t next = 0;
  const int r = energy.rank;
  for (int a = 0; a <= r; ++a)
    for (int b = a; b <= r; ++b)
      for (int c = b; c <= r; ++c)
        for (int d = c; d <= r; ++d) tensor[{a, b, c, d}] = energy.coefficients[next++];
  const auto x = [&](int a) { return a == 0 ? 1.0 : q[static_cast<std::size_t>(a - 1)]; };
  double sum = 0;
  for (int a = 0; a <= r; ++a)
    for (int b = 0; b <= r; ++b)
      for (int c = 0; c <= r; ++c)
        for (int d = 0; d <= r; ++d) {
          std::array<int, 4> key = {a, b, c, d};
          std::sort(key.begin(), key.end());
          sum += tensor[key] * x(a) * x(b) * x(c) * x(d);
        }
  return sum / 24;
}

TEST(QuarticPolynomial, EvaluatesItsDefinition) {
  for (const int rank : {1, 2, 3, 6}) {
    const QuarticEnergy energy = random_energy(rank, 3);
    const auto q = test::random_numbers(static_cast<std::size_t>(rank), 8);
    // Round-off: some thousand terms below 1 of either sign.
    EXPECT_NEAR(evaluate(energy, q).energy, energy_by_definition(energy, q), 1e-13);
  }
}

// With a tensor of one entry, V, R and K are known on sight: S_1122 = 4 gives V = 4 * 6 / 24 q1^2 q2^2.
TEST(QuarticPolynomial, EvaluatesASingleTerm) {
  QuarticEnergy energy{2, std::vector<double>(15)};
  energy.coefficients[sorted_index(1, 1, 2, 2, 2)] = 4;
  const ReducedForces result = evaluate(energy, std::vector{3.0, 5.0});
  EXPECT_DOUBLE_EQ(result.energy, 225);
  EXPECT_DOUBLE_EQ(result.force[0], 2 * 3 * 25);
  EXPECT_DOUBLE_EQ(result.force[1], 2 * 9 * 5);
  EXPECT_DOUBLE_EQ(result.stiffness(0, 0), 2 * 25);
  EXPECT_DOUBLE_EQ(result.stiffness(0, 1), 4 * 15);
  EXPECT_DOUBLE_EQ(result.stiffness(1, 1), 2 * 9);
}

TEST(QuarticPolynomial, CoefficientMatrixTimesMonomialsEqualsEvaluation) {
  for (const int rank : {1, 2, 5, 12}) {
    const QuarticEnergy energy = random_energy(rank, 21);
    const auto q = test::random_numbers(static_cast<std::size_t>(rank), 22);
    std::vector<double> x = {1};
    x.insert(x.end(), q.begin(), q.end());
    std::vector<double> monomials;
    for (std::size_t c = 0; c < x.size(); ++c)
      for (std::size_t d = c; d < x.size(); ++d) monomials.push_back(x[c] * x[d]);
    const Matrix matrix = coefficient_matrix(energy, true);
    const Eigen::Index pairs = rank * (rank + 1) / 2;
    ASSERT_EQ(matrix.rows, std::ssize(monomials));
    ASSERT_EQ(matrix.cols, pairs + rank + 1);
    const VectorXd h = matrix.map().transpose() * Eigen::Map<const VectorXd>(monomials.data(), matrix.rows);

    const ReducedForces reference = evaluate(energy, q);
    Eigen::Index next = 0;
    for (Eigen::Index i = 0; i < rank; ++i)
      for (Eigen::Index j = i; j < rank; ++j) EXPECT_NEAR(h[next++], reference.stiffness(i, j), 1e-13);
    double energy_sum = h[pairs + rank];
    for (Eigen::Index i = 0; i < rank; ++i) {
      const double qi = q[static_cast<std::size_t>(i)], three_forces = 3 * reference.force[static_cast<std::size_t>(i)];
      const double stiffness_term = reference.stiffness.map().row(i).dot(Eigen::Map<const VectorXd>(q.data(), rank));
      EXPECT_NEAR(h[pairs + i] + stiffness_term, three_forces, 1e-13);
      energy_sum += qi * (h[pairs + i] + three_forces);
    }
    EXPECT_NEAR(energy_sum / 12, reference.energy, 1e-13);
    EXPECT_EQ(coefficient_matrix(energy).map(), matrix.map().leftCols(pairs + rank));
  }
}

// Any Gram matrix gives the energy 1/2 m^T W m with m the monomials q_i (weight 1), q_i q_j (1, i < j), q_i^2 (1/2).
TEST(QuarticPolynomial, SymmetrisedGramMatrixHasTheSameEnergy) {
  for (const int rank : {1, 3, 6}) {
    const auto r = static_cast<std::size_t>(rank);
    const auto q = test::random_numbers(r, 31);
    std::vector<double> monomials(q);
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = i; j < r; ++j) monomials.push_back((i == j ? 0.5 : 1) * q[i] * q[j]);
    const auto p = std::ssize(monomials);
    const auto numbers = test::random_numbers(static_cast<std::size_t>(p * p), 32);
    const Eigen::Map<const MatrixXd> any(numbers.data(), p, p);
    MatrixXd gram = any + any.transpose();
    const Eigen::Map<const VectorXd> m(monomials.data(), p);
    const double reference = 0.5 * m.dot(gram * m);
    gram.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));  // isn't to be read
    EXPECT_NEAR(evaluate(symmetrise(gram, rank), q).energy, reference, 1e-13);
  }
}

TEST(QuarticPolynomial, RefusesWhatIsNoEnergy) {
  EXPECT_THROW(check({0, {0}}), InputError);
  EXPECT_THROW(check({256, {}}), InputError);
  EXPECT_THROW(check({2, std::vector<double>(14)}), InputError);
  QuarticEnergy damaged = random_energy(2, 1);
  EXPECT_NO_THROW(check(damaged));
  EXPECT_THROW((void)evaluate(damaged, std::vector<double>(3)), InputError);
  damaged.coefficients[7] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(check(damaged), InputError);
}

}  // namespace
}  // namespace quartic
