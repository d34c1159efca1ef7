#include "cpu/energy/strain_damping_kernels.hpp"

#include "core/base/kernel_variants.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "cpu/energy/tile_operations.hpp"

namespace quartic::cpu {
namespace {

// d = C m, a block of d at a time.
template <class T>
struct MultiplyMonomials {
  template <int bytes>
  [[gnu::always_inline]] static void run(std::int64_t blocks, std::int64_t monomials, const T* values, const T* m,
                                         T* d) {
    using R = tile_operations::Row<T, bytes>;
    constexpr int lines = 4;
    for (std::int64_t b = 0; b < blocks; ++b) {
      typename R::Vector sum[lines][R::parts] = {};
      for (std::int64_t n = 0; n < monomials; ++n, values += lines * lanes<T>)
        for (int i = 0; i < lines; ++i)
          for (int p = 0; p < R::parts; ++p) sum[i][p] += R::at(values, i)[p] * m[n];
      for (int i = 0; i < lines; ++i)
        for (int p = 0; p < R::parts; ++p) R::at(d, b * lines + i)[p] = sum[i][p];
    }
  }
};

}  // namespace

template <class T>
StrainDampingCoefficients<BodySystem<T>>::StrainDampingCoefficients(const StrainDampingForm& form)
    : rank_(form.rank), values_(rows(form.rank) * form.coefficients.rows) {
  const Matrix& c = form.coefficients;
  for (std::int64_t entry = 0; entry < c.cols; ++entry)
    for (std::int64_t n = 0; n < c.rows; ++n)
      values_.data()[(entry / block * c.rows + n) * block + entry % block] = rounded_coefficient<T>(c(n, entry));
}

template <class T>
void StrainDampingCoefficients<BodySystem<T>>::evaluate(const T* q, T* workspace, T* d) const {
  T* monomial = workspace;
  *monomial++ = 1;
  for (int a = 0; a < rank_; ++a) *monomial++ = q[a];
  for (int a = 0; a < rank_; ++a)
    for (int b = a; b < rank_; ++b) *monomial++ = q[a] * q[b];
  static const auto multiply =
      KernelVariants<MultiplyMonomials<T>, std::int64_t, std::int64_t, const T*, const T*, T*>::chosen();
  multiply(rows(rank_) / block, workspace_rows(rank_), values_.data(), workspace, d);
}

template class StrainDampingCoefficients<BodySystem<float>>;
template class StrainDampingCoefficients<BodySystem<double>>;

}  // namespace quartic::cpu
