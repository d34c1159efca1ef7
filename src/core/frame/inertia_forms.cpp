#include "core/frame/inertia_forms.hpp"

#include <algorithm>
#include <cstddef>

#include "core/energy/symmetric_tensor.hpp"
#include "core/frame/symmetric3.hpp"

namespace quartic {
namespace {

// A 3x3 matrix, row by row.
struct Square3 {
  double entry[9] = {};
  explicit Square3(const double* values) { std::copy_n(values, 9, entry); }
  [[nodiscard]] double operator()(int a, int b) const { return entry[3 * a + b]; }
  [[nodiscard]] double trace() const { return entry[0] + entry[4] + entry[8]; }
  [[nodiscard]] Square3 transposed() const {
    Square3 result(entry);
    std::swap(result.entry[1], result.entry[3]);
    std::swap(result.entry[2], result.entry[6]);
    std::swap(result.entry[5], result.entry[7]);
    return result;
  }
};

// G2_pi for any order of p and i.
Square3 second_moment(const FrameMoments& moments, int p, int i) {
  const auto low = static_cast<std::size_t>(std::min(p, i)), high = static_cast<std::size_t>(std::max(p, i));
  const std::size_t pair = pair_index(low, high, static_cast<std::size_t>(moments.rank()));
  const Square3 stored(moments.moment2.col(static_cast<std::int64_t>(pair)).data());
  return p <= i ? stored : stored.transposed();
}

// factor (tr(G) I - sym(G)).
void set_inertia(const Square3& g, double factor, double* entries) {
  for (int a = 0; a < 3; ++a) entries[a] = factor * (g.trace() - g(a, a));
  entries[3] = -factor * 0.5 * (g(1, 2) + g(2, 1));
  entries[4] = -factor * 0.5 * (g(0, 2) + g(2, 0));
  entries[5] = -factor * 0.5 * (g(0, 1) + g(1, 0));
}

void set_axial(const Square3& g, double* entries) {
  entries[0] = g(1, 2) - g(2, 1);
  entries[1] = g(2, 0) - g(0, 2);
  entries[2] = g(0, 1) - g(1, 0);
}

frame::Vector3<double> vector_at(const double* entries) {
  return {entries[0], entries[1], entries[2]};
}

// S w for the symmetric matrix of these entries.
frame::Vector3<double> product(const double* s, const double* w) {
  return frame::Symmetric3<double>{s[0], s[1], s[2], s[3], s[4], s[5]} * vector_at(w);
}

}  // namespace

InertiaForms::InertiaForms(const FrameMoments& moments)
    : rank(moments.rank()),
      mass(moments.mass),
      affine(9 * std::int64_t{moments.rank()}, moments.rank() + 1),
      unit_acceleration(moments.unit_acceleration) {
  std::ranges::copy(moments.first_moment, first_moment);
  set_inertia(Square3(moments.moment0.values.data()), 1, rest);
  for (int i = 0; i < rank; ++i) {
    const std::int64_t inertia_row = std::int64_t{symmetric_entries} * i;
    const std::int64_t axial_row = std::int64_t{symmetric_entries} * rank + std::int64_t{3} * i;
    const Square3 first(moments.moment1.col(i).data());
    set_inertia(first, 2, &affine(inertia_row, 0));
    set_axial(first, &affine(axial_row, 0));
    for (int p = 0; p < rank; ++p) {
      const Square3 second = second_moment(moments, p, i);
      set_inertia(second, 2, &affine(inertia_row, p + 1));
      set_axial(second, &affine(axial_row, p + 1));
    }
  }
}

InertiaAt::InertiaAt(const InertiaForms& forms, const double* point)
    : forms_(forms), values_(static_cast<std::size_t>(forms.affine.rows)) {
  for (std::int64_t column = 0; column < forms.affine.cols; ++column)
    for (std::size_t row = 0; row < values_.size(); ++row)
      values_[row] += point[column] * forms.affine(static_cast<std::int64_t>(row), column);
  std::copy_n(forms.rest, symmetric_entries, j_);
  for (int i = 0; i < forms.rank; ++i)
    for (int e = 0; e < symmetric_entries; ++e) {
      const int row = symmetric_entries * i + e;
      j_[e] += 0.5 * point[i + 1] * (forms.affine(row, 0) + values_[static_cast<std::size_t>(row)]);
    }
}

void InertiaAt::angular_momentum(const double* w, const double* rate, double* result) const {
  const frame::Vector3<double> rigid = product(j_, w);
  result[0] = rigid.x, result[1] = rigid.y, result[2] = rigid.z;
  const double* b = values_.data() + std::ptrdiff_t{symmetric_entries} * forms_.rank;
  for (int i = 0; i < forms_.rank; ++i)
    for (int k = 0; k < 3; ++k) result[k] += b[3 * i + k] * rate[i];
}

frame::Vector3<double> InertiaAt::inertia_times(const frame::Vector3<double>& w) const {
  const double spin[3] = {w.x, w.y, w.z};
  return product(j_, spin);
}

frame::Vector3<double> InertiaAt::axial_times(const double* x) const {
  const double none[3] = {};
  double sum[3];
  angular_momentum(none, x, sum);
  return vector_at(sum);
}

frame::Vector3<double> InertiaAt::inertia_rate_times(const double* rate, const frame::Vector3<double>& w) const {
  double change[symmetric_entries] = {};
  for (int i = 0; i < forms_.rank; ++i)
    for (int e = 0; e < symmetric_entries; ++e)
      change[e] += rate[i] * values_[static_cast<std::size_t>(symmetric_entries * i + e)];
  const double spin[3] = {w.x, w.y, w.z};
  return product(change, spin);
}

double InertiaAt::energy(const double* v, const double* w, const double* rate) const {
  double whole[3];
  angular_momentum(w, rate, whole);  // w^T B q' = w^T (pi - J w)
  const frame::Vector3<double> spin = vector_at(w);
  return 0.5 * forms_.mass * dot(vector_at(v), vector_at(v)) + dot(spin, vector_at(whole)) -
         0.5 * dot(spin, product(j_, w));
}

}  // namespace quartic
