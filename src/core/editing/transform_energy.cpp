// The quartic energy in other coordinates: S'_abcd = T_ea T_fb T_gc T_hd S_efgh, with the constant as coordinate 0.
//
// One index is contracted after the other. Between two contractions the tensor is symmetric in the indices done and in
// those to come, so that each is kept for ascending indices only:
//   S_e;fgh  ->  A_a;fgh  ->  B_ab;gh, a <= b  ->  C_abc;h, b <= c  ->  S'_abcd, c <= d.
#include <algorithm>
#include <vector>

#include "core/algebra/blas.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "quartic/editing.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Position of f <= g <= h in 0..n-1 among such triples in lexicographic order, as a sum of one entry per index.
class TripleIndex {
 public:
  explicit TripleIndex(Index n) {
    const auto choose_2 = [](Index m) { return m * (m - 1) / 2; };
    const auto choose_3 = [](Index m) { return m * (m - 1) / 2 * (m - 2) / 3; };
    for (Index i = 0; i < n; ++i) {
      first_.push_back(choose_3(n + 2) - choose_3(n - i + 2) + choose_2(n - i + 1));
      second_.push_back(-choose_2(n - i + 1) - i);
    }
  }
  [[nodiscard]] Index operator()(std::size_t f, std::size_t g, std::size_t h) const {
    return first_[f] + second_[g] + static_cast<Index>(h);
  }
  [[nodiscard]] Index count() const { return first_.back() + second_.back() + std::ssize(first_); }

 private:
  std::vector<Index> first_, second_;
};

// S_e;fgh: a row per triple, a column per e. Each coefficient has up to four places.
MatrixXd unfold(const QuarticEnergy& energy) {
  const auto n = static_cast<std::size_t>(energy.rank) + 1;
  const TripleIndex triple(static_cast<Index>(n));
  MatrixXd unfolded(triple.count(), static_cast<Index>(n));
  const double* next = energy.coefficients.data();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = b; c < n; ++c)
        for (std::size_t d = c; d < n; ++d, ++next) {
          unfolded(triple(b, c, d), static_cast<Index>(a)) = *next;
          unfolded(triple(a, c, d), static_cast<Index>(b)) = *next;
          unfolded(triple(a, b, d), static_cast<Index>(c)) = *next;
          unfolded(triple(a, b, c), static_cast<Index>(d)) = *next;
        }
  return unfolded;
}

// A_a;fgh for one a, from ascending fgh to a row per pair g <= h and a column per f.
void unfold_triples(const double* next, Index n, MatrixXd& unfolded) {
  const auto pair = [n](Index a, Index b) {
    return static_cast<Index>(
        pair_index(static_cast<std::size_t>(a), static_cast<std::size_t>(b), static_cast<std::size_t>(n)));
  };
  for (Index f = 0; f < n; ++f)
    for (Index g = f; g < n; ++g)
      for (Index h = g; h < n; ++h, ++next) {
        unfolded(pair(g, h), f) = *next;
        unfolded(pair(f, h), g) = *next;
        unfolded(pair(f, g), h) = *next;
      }
}

// B_ab;gh for one ab, from pairs g <= h to a symmetric matrix.
void unfold_pairs(const double* next, MatrixXd& unfolded) {
  for (Index g = 0; g < unfolded.rows(); ++g)
    for (Index h = g; h < unfolded.rows(); ++h, ++next) unfolded(g, h) = unfolded(h, g) = *next;
}

}  // namespace

QuarticEnergy transform_energy(const QuarticEnergy& energy, MatrixRef transform) {
  check(energy);
  if (transform.rows() != energy.rank || transform.cols() < 1 || transform.cols() > rank_limit)
    throw InputError("the transform of an energy of rank " + std::to_string(energy.rank) +
                     " must have as many rows and 1 .. " + std::to_string(rank_limit) + " columns, not " +
                     std::to_string(transform.rows()) + " and " + std::to_string(transform.cols()));
  if (!transform.allFinite()) throw InputError("the transform has an entry that isn't a finite number");
  const Index n = energy.rank + 1, s = transform.cols() + 1;
  MatrixXd t = MatrixXd::Zero(n, s);  // q^ = t q'^
  t(0, 0) = 1;
  t.bottomRightCorner(n - 1, s - 1) = transform;

  QuarticEnergy result{static_cast<int>(s - 1), {}};
  result.coefficients.reserve(static_cast<std::size_t>(quartic_coefficient_count(s - 1)));
  const MatrixXd unfolded = unfold(energy);
  MatrixXd first(unfolded.rows(), s);
  blas::multiply(1, unfolded, t, 0, first);
  MatrixXd triples(n * (n + 1) / 2, n), second(n * (n + 1) / 2, s), pairs(n, n), third(n, s), fourth(s, s);
  for (Index a = 0; a < s; ++a) {
    unfold_triples(first.col(a).data(), n, triples);
    blas::multiply(1, triples, t.rightCols(s - a), 0, second.rightCols(s - a));
    for (Index b = a; b < s; ++b) {
      unfold_pairs(second.col(b).data(), pairs);
      const Index count = s - b;
      blas::multiply(1, pairs, t.rightCols(count), 0, third.rightCols(count));
      fourth.topLeftCorner(count, count).noalias() = t.rightCols(count).transpose() * third.rightCols(count);
      for (Index c = 0; c < count; ++c)
        for (Index d = c; d < count; ++d) result.coefficients.push_back(fourth(c, d));
    }
  }
  return result;
}

}  // namespace quartic
