// Strain at quadrature points as a quadratic polynomial in q^ = (1, q): the operand of the energy's Gram matrix.
//
// With A_0 = I and A_i the gradient of basis field i, the deformation gradient is F = q^_a A_a, so the Green strain is
// E = 1/2 (F^T F - I) = 1/2 q^_a q^_b B_ab with B_ab = sym(A_a^T A_b), except B_00 = 0. The energy density
// 1/2 E : C : E is then 1/8 B_ab : C : B_cd q^_a q^_b q^_c q^_d.
//
// Each B_ab becomes up to six numbers whose dot product is w B : C : B', w the point's weight. An isotropic C
// has the eigenvalue 3 lambda + 2 mu on the trace and 2 mu on the rest, both positive for every
// Poisson's ratio in (-1, 1/2), also where lambda is negative. So the six are
//   sqrt(w (3 lambda + 2 mu) / 3) tr B,
//   sqrt(2 mu w) ((B_xx - B_yy) / sqrt 2, (B_xx + B_yy - 2 B_zz) / sqrt 6, sqrt 2 B_yz, sqrt 2 B_xz, sqrt 2 B_xy).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/elastic_constants.hpp"
#include "core/elements/elements.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// Strains of up to `capacity` points. Points are the innermost index everywhere: one per lane of a vector register.
class StrainPanel {
 public:
  static constexpr std::size_t capacity = 64;
  using Lanes = std::array<double, capacity>;

  /// @param fields U, shape (3n, r), and behind them `linear_fields` more, whose strains are taken to be linear; must
  ///        outlive this object
  explicit StrainPanel(const MatrixRef& fields, std::size_t linear_fields = 0)
      : displacements_(fields), linear_fields_(linear_fields) {}

  /// Adds a point of an element. Points of one element must follow each other.
  void add_point(std::span<const std::int32_t> vertices, const PointGeometry& geometry,
                 const ElasticConstants& constants);

  [[nodiscard]] std::size_t point_count() const { return point_count_; }

  /// Writes the strains of all points for the pairs 0 <= a <= b <= r but (0, 0), in pair order, the linear fields' own
  /// behind those of a = 0: those of a pair are `strain_count` times `point_count()` numbers from `out + pair *
  /// stride`. All points have that strain count.
  void write(std::size_t strain_count, double* out, std::size_t stride);

 private:
  struct Run {  // points of one element
    std::span<const std::int32_t> vertices;
    std::size_t begin = 0, count = 0;
  };
  void gather_field(std::size_t field);

  const MatrixRef& displacements_;
  std::size_t linear_fields_;
  std::size_t point_count_ = 0;
  std::size_t vertex_count_ = 0;  // per element, the largest so far
  std::vector<Run> runs_;
  std::array<Lanes, 3> scale_{};              // of trace, of differences and shear, of xx + yy - 2 zz
  std::array<Lanes, 60> shape_gradient_{};    // [3 * vertex + derivative]
  std::array<Lanes, 60> displacement_{};      // [3 * vertex + component] of one field
  std::vector<std::array<Lanes, 9>> fields_;  // A_a, a = 0..r: [3 * component + derivative]
};

}  // namespace quartic
