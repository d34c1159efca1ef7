// The sign of an element's Jacobian everywhere in it, not at sampled points: det J is a polynomial in the reference
// coordinates, and its Bernstein coefficients bound it (Dey, Shephard & Flaherty 1999; Johnen, Remacle & Geuzaine
// 2013).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/elements/bernstein.hpp"
#include "core/elements/elements.hpp"

namespace quartic {

/// What det J says of an element. Less than 1e-12 of its largest value is zero, and so is what round-off of positions
/// or of det J itself may have made. Where det J only reaches zero, as in elements whose corners coincide or with a
/// middle vertex at a quarter of its edge, an element is proper.
enum class ElementShape : std::uint8_t {
  proper,
  inverted,   ///< nowhere positive: the vertices are in the wrong order
  folded,     ///< of both signs
  degenerate  ///< zero everywhere, or not a number
};

/// How far an element is folded.
struct Fold {
  double ratio = 0;               ///< the least det J over the largest; negative
  std::array<double, 3> place{};  ///< of the least one [m]
};

/// Tables for the elements of one type.
class JacobianSign {
 public:
  explicit JacobianSign(const ElementTable& table);

  /// Elements near a parallelepiped (of tetrahedra: near a straight one) cost little more than their Jacobian.
  /// @param x positions of the element's vertices [m]
  /// @param coordinate_error size of the round-off in them [m]
  [[nodiscard]] ElementShape shape(std::span<const std::array<double, 3>> x, double coordinate_error) const;

  /// Of a folded element, by bounds on the extremes that are within 1e-9 of the largest.
  [[nodiscard]] Fold fold(std::span<const std::array<double, 3>> x) const;

 private:
  using Vector = std::array<double, 3>;
  struct Weight {
    std::uint16_t vertex;
    double value;
  };
  /// Bernstein coefficients of a column of J, dX/dxi_d, from the vertices' positions.
  struct Column {
    BernsteinBasis basis;
    std::vector<std::vector<Weight>> rows;
  };
  struct Element;  // positions in units of its size, and the columns' coefficients

  [[nodiscard]] Column column(std::size_t d, const std::vector<std::size_t>& degrees) const;
  [[nodiscard]] std::optional<Element> prepare(std::span<const Vector> x, double coordinate_error) const;
  [[nodiscard]] std::vector<double> determinant(const Element& element) const;
  [[nodiscard]] Vector position(std::span<const Vector> x, const Barycentric& at) const;

  const ElementTable* table_;
  std::vector<std::size_t> simplices_;
  std::vector<Vector> simplex_vertices_;  // of each place in Barycentric its share of the reference position
  std::vector<Column> columns_;
  BernsteinBasis cross_basis_, basis_;  // of the product of the columns 1 and 2, and of det J
  std::vector<ProductTerm> cross_terms_, dot_terms_;
};

}  // namespace quartic
