#include "cpu/contact/inertia.hpp"

#include <algorithm>
#include <array>

namespace quartic::cpu {

void Inertia::evaluate(const InertiaForms& of, const VectorXd& q) {
  const auto affine = of.affine.map();
  forms_.resize(affine.rows());
  forms_.noalias() = affine.rightCols(of.rank) * q;
  forms_ += affine.col(0);
  std::array<double, symmetric_entries> sum;
  std::copy_n(of.rest, symmetric_entries, sum.begin());
  for (Index i = 0; i < of.rank; ++i)
    for (std::size_t e = 0; e < sum.size(); ++e) {
      const Index row = symmetric_entries * i + static_cast<Index>(e);
      sum[e] += 0.5 * q[i] * (of.affine(row, 0) + forms_[row]);
    }
  j_ = to_eigen(frame::Symmetric3<double>{sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]});
}

Map<const Eigen::Matrix3Xd> Inertia::b() const {
  const Index r = forms_.size() / 9;
  return {forms_.data() + symmetric_entries * r, 3, r};
}

Vector Inertia::symmetric_times(const double* rows, Index i, const Vector& w) {
  const double* s = rows + symmetric_entries * i;
  return to_eigen(frame::Symmetric3<double>{s[0], s[1], s[2], s[3], s[4], s[5]} * from_eigen(w));
}

}  // namespace quartic::cpu
