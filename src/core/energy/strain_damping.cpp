#include "core/energy/strain_damping.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/energy/strain_form.hpp"
#include "core/energy/symmetric_tensor.hpp"

namespace quartic {
namespace {

// L^T L, upper triangle, shape (p, p), row by row.
std::vector<double> products_of_columns(const StrainForm& form) {
  const auto p = static_cast<std::size_t>(strain_count(form.rank));
  std::vector<double> gram(p * p);
  const double* row = form.factor.data();
  for (std::size_t k = 0; k < p; row += p - k, ++k)
    for (std::size_t m = k; m < p; ++m) {
      const double value = row[m - k];
      if (value == 0) continue;
      for (std::size_t n = m; n < p; ++n) gram[m * p + n] += value * row[n - k];
    }
  return gram;
}

// The vectors w_ia, whose products are those of L's columns.
class Derivatives {
 public:
  explicit Derivatives(const StrainForm& form)
      : rank_(static_cast<std::size_t>(form.rank)),
        count_(static_cast<std::size_t>(strain_count(form.rank))),
        gram_(products_of_columns(form)) {}

  // w_ia . w_jb, 1 <= i, j and 0 <= a, b.
  [[nodiscard]] double product(std::size_t i, std::size_t a, std::size_t j, std::size_t b) const {
    const auto [m, n] = std::minmax({column(i, a), column(j, b)});
    return (i == a ? 2 : 1) * (j == b ? 2 : 1) * gram_[m * count_ + n];
  }

 private:
  // L's column of q_i, or of q_i q_a, whose derivative has a square's twice.
  [[nodiscard]] std::size_t column(std::size_t i, std::size_t a) const {
    if (a == 0) return i - 1;
    return rank_ + pair_index(std::min(i, a) - 1, std::max(i, a) - 1, rank_);
  }

  std::size_t rank_, count_;
  std::vector<double> gram_;
};

}  // namespace

StrainDampingForm strain_damping_form(const StrainForm& form) {
  const Derivatives w(form);
  const auto r = static_cast<std::size_t>(form.rank);
  StrainDampingForm result{
      form.rank, Matrix(static_cast<std::int64_t>((r + 1) * (r + 2) / 2), static_cast<std::int64_t>(r * (r + 1) / 2))};
  double* next = result.coefficients.values.data();
  for (std::size_t i = 1; i <= r; ++i)
    for (std::size_t j = i; j <= r; ++j)
      for (std::size_t a = 0; a <= r; ++a)
        for (std::size_t b = a; b <= r; ++b)
          *next++ = a == b ? w.product(i, a, j, a) : w.product(i, a, j, b) + w.product(i, b, j, a);
  return result;
}

}  // namespace quartic
