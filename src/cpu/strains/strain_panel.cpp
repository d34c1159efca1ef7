#include "cpu/strains/strain_panel.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/instruction_set.hpp"

namespace quartic {
namespace {

using Lanes = StrainPanel::Lanes;
using Gradient = std::array<Lanes, 9>;

// A = sum over vertices of u_v g_v^T.
[[gnu::always_inline]] inline void field_gradient(std::size_t points, std::size_t vertices, const Lanes* u,
                                                  const Lanes* g, Gradient& gradient) {
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t d = 0; d < 3; ++d) {
      Lanes& out = gradient[3 * c + d];
#pragma omp simd
      for (std::size_t t = 0; t < points; ++t) out[t] = u[c][t] * g[d][t];
      for (std::size_t v = 1; v < vertices; ++v)
#pragma omp simd
        for (std::size_t t = 0; t < points; ++t) out[t] += u[3 * v + c][t] * g[3 * v + d][t];
    }
}

// tr(A^T B) = A : B.
[[gnu::always_inline]] inline void trace_strain(std::size_t points, const Gradient& a, const Gradient& b,
                                                const std::array<Lanes, 3>& scale, double* out) {
#pragma omp simd
  for (std::size_t t = 0; t < points; ++t)
    out[t] = scale[0][t] *
             (a[0][t] * b[0][t] + a[1][t] * b[1][t] + a[2][t] * b[2][t] + a[3][t] * b[3][t] + a[4][t] * b[4][t] +
              a[5][t] * b[5][t] + a[6][t] * b[6][t] + a[7][t] * b[7][t] + a[8][t] * b[8][t]);
}

// All six numbers; those of shear are sqrt 2 B_yz = (a_y . b_z + a_z . b_y) / sqrt 2 with the columns of A and B.
[[gnu::always_inline]] inline void full_strain(std::size_t points, const Gradient& a, const Gradient& b,
                                               const std::array<Lanes, 3>& scale, double* out) {
  double *out1 = out + points, *out2 = out1 + points, *out3 = out2 + points, *out4 = out3 + points,
         *out5 = out4 + points;
#pragma omp simd
  for (std::size_t t = 0; t < points; ++t) {
    const double axx = a[0][t], axy = a[1][t], axz = a[2][t], ayx = a[3][t], ayy = a[4][t], ayz = a[5][t],
                 azx = a[6][t], azy = a[7][t], azz = a[8][t];
    const double bxx = b[0][t], bxy = b[1][t], bxz = b[2][t], byx = b[3][t], byy = b[4][t], byz = b[5][t],
                 bzx = b[6][t], bzy = b[7][t], bzz = b[8][t];
    const double exx = axx * bxx + ayx * byx + azx * bzx;
    const double eyy = axy * bxy + ayy * byy + azy * bzy;
    const double ezz = axz * bxz + ayz * byz + azz * bzz;
    out[t] = scale[0][t] * (exx + eyy + ezz);
    out1[t] = scale[1][t] * (exx - eyy);
    out2[t] = scale[2][t] * (exx + eyy - 2 * ezz);
    out3[t] = scale[1][t] * (axy * bxz + ayy * byz + azy * bzz + axz * bxy + ayz * byy + azz * bzy);
    out4[t] = scale[1][t] * (axx * bxz + ayx * byz + azx * bzz + axz * bxx + ayz * byx + azz * bzx);
    out5[t] = scale[1][t] * (axx * bxy + ayx * byy + azx * bzy + axy * bxx + ayy * byx + azy * bzx);
  }
}

// The fields from `paired` on are paired with the constant, field 0, alone.
[[gnu::always_inline]] inline void all_pairs(std::size_t points, const std::vector<Gradient>& fields,
                                             std::size_t paired, const std::array<Lanes, 3>& scale,
                                             std::size_t strain_count, double* out, std::size_t stride) {
  for (std::size_t a = 0; a < paired; ++a)
    for (std::size_t b = a == 0 ? 1 : a; b < (a == 0 ? fields.size() : paired); ++b, out += stride)
      if (strain_count == 1)
        trace_strain(points, fields[a], fields[b], scale, out);
      else
        full_strain(points, fields[a], fields[b], scale, out);
}

// The library is compiled for the oldest processors of a kind. There these loops would take up to a third of the
// reduction's time, so the same text is compiled again for newer ones.
struct Kernels {
  void (*field_gradient)(std::size_t, std::size_t, const Lanes*, const Lanes*, Gradient&);
  void (*all_pairs)(std::size_t, const std::vector<Gradient>&, std::size_t, const std::array<Lanes, 3>&, std::size_t,
                    double*, std::size_t);
};

void field_gradient_portable(std::size_t points, std::size_t vertices, const Lanes* u, const Lanes* g, Gradient& out) {
  field_gradient(points, vertices, u, g, out);
}
void all_pairs_portable(std::size_t points, const std::vector<Gradient>& fields, std::size_t paired,
                        const std::array<Lanes, 3>& scale, std::size_t strain_count, double* out, std::size_t stride) {
  all_pairs(points, fields, paired, scale, strain_count, out, stride);
}

#ifdef __x86_64__
[[gnu::target(QUARTIC_TARGET_AVX2)]] void field_gradient_avx2(std::size_t points, std::size_t vertices, const Lanes* u,
                                                              const Lanes* g, Gradient& out) {
  field_gradient(points, vertices, u, g, out);
}
[[gnu::target(QUARTIC_TARGET_AVX2)]] void all_pairs_avx2(std::size_t points, const std::vector<Gradient>& fields,
                                                         std::size_t paired, const std::array<Lanes, 3>& scale,
                                                         std::size_t strain_count, double* out, std::size_t stride) {
  all_pairs(points, fields, paired, scale, strain_count, out, stride);
}
[[gnu::target(QUARTIC_TARGET_AVX512)]] void field_gradient_avx512(std::size_t points, std::size_t vertices,
                                                                  const Lanes* u, const Lanes* g, Gradient& out) {
  field_gradient(points, vertices, u, g, out);
}
[[gnu::target(QUARTIC_TARGET_AVX512)]] void all_pairs_avx512(std::size_t points, const std::vector<Gradient>& fields,
                                                             std::size_t paired, const std::array<Lanes, 3>& scale,
                                                             std::size_t strain_count, double* out,
                                                             std::size_t stride) {
  all_pairs(points, fields, paired, scale, strain_count, out, stride);
}
#endif

Kernels fastest_kernels() {
#ifdef __x86_64__
  if (cpu::instruction_set() == cpu::InstructionSet::avx512) return {field_gradient_avx512, all_pairs_avx512};
  if (cpu::instruction_set() == cpu::InstructionSet::avx2) return {field_gradient_avx2, all_pairs_avx2};
#endif
  return {field_gradient_portable, all_pairs_portable};
}

}  // namespace

void StrainPanel::add_point(std::span<const std::int32_t> vertices, const PointGeometry& geometry,
                            const ElasticConstants& constants) {
  if (runs_.empty() || runs_.back().vertices.data() != vertices.data()) runs_.push_back({vertices, point_count_, 0});
  ++runs_.back().count;
  const std::size_t t = point_count_++;
  vertex_count_ = vertices.size();
  for (std::size_t v = 0; v < vertices.size(); ++v)
    for (std::size_t d = 0; d < 3; ++d) shape_gradient_[3 * v + d][t] = geometry.gradient[v][d];
  const double rest = std::sqrt(2 * constants.mu * geometry.weight);
  scale_[0][t] = std::sqrt((3 * constants.lambda + 2 * constants.mu) / 3 * geometry.weight);
  scale_[1][t] = rest * std::sqrt(0.5);
  scale_[2][t] = rest * std::sqrt(1.0 / 6);
}

void StrainPanel::gather_field(std::size_t field) {
  const double* u = displacements_.data() + static_cast<Eigen::Index>(field) * displacements_.outerStride();
  for (const Run& run : runs_)
    for (std::size_t v = 0; v < vertex_count_; ++v)
      for (std::size_t c = 0; c < 3; ++c)
        std::fill_n(displacement_[3 * v + c].data() + run.begin, run.count,
                    u[3 * static_cast<std::size_t>(run.vertices[v]) + c]);
}

void StrainPanel::write(std::size_t strain_count, double* out, std::size_t stride) {
  static const Kernels kernels = fastest_kernels();
  const auto count = static_cast<std::size_t>(displacements_.cols());
  fields_.resize(count + 1);
  for (std::size_t k = 0; k < 9; ++k) fields_[0][k].fill(k % 4 == 0 ? 1.0 : 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    gather_field(i);
    kernels.field_gradient(point_count_, vertex_count_, displacement_.data(), shape_gradient_.data(), fields_[i + 1]);
  }
  kernels.all_pairs(point_count_, fields_, count - linear_fields_ + 1, scale_, strain_count, out, stride);
}

}  // namespace quartic
