// Polynomials on reference elements in Bernstein form. A reference element is a product of simplices: a tetrahedron is
// one, a wedge a triangle times a line, a cube three lines. A basis function is a product, over the simplices, of
//   p! / (a_0! ... a_n!) L_0^a_0 ... L_n^a_n,   a_0 + ... + a_n = p,
// with barycentric coordinates L. The functions are positive and sum to one, so that a polynomial lies between its
// least and its largest coefficient; at a vertex it is that vertex's coefficient. On a half of the element, new
// coefficients are means of the old ones (de Casteljau), and closer to the polynomial (Farin 1986).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quartic {

/// One number per vertex of each simplex, simplex after simplex: at most 2 + 2 + 2.
using Barycentric = std::array<double, 6>;

class BernsteinBasis {
 public:
  using Exponents = std::array<std::uint8_t, 6>;  ///< a_0, a_1, ..., as Barycentric has them

  /// @param simplices number of vertices of each
  /// @param degrees p of each simplex
  BernsteinBasis(std::vector<std::size_t> simplices, std::vector<std::size_t> degrees);

  [[nodiscard]] std::size_t size() const { return exponents_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& simplices() const { return simplices_; }
  [[nodiscard]] const std::vector<std::size_t>& degrees() const { return degrees_; }
  [[nodiscard]] const Exponents& exponents(std::size_t function) const { return exponents_[function]; }
  [[nodiscard]] std::size_t index(const Exponents& exponents) const;
  /// Where the function is largest: a / p; in the middle of simplices of degree 0.
  [[nodiscard]] Barycentric domain_point(std::size_t function) const;

  /// A line from vertex `from` to vertex `to` of a simplex. Functions that differ in these two exponents alone are a
  /// row, ordered by the second one.
  struct Direction {
    std::size_t from = 0, to = 0;  ///< places in Barycentric
    std::vector<std::vector<std::size_t>> rows;
  };
  [[nodiscard]] const std::vector<Direction>& directions() const { return directions_; }

  /// The functions that are 1 at a vertex of the element, and that vertex of each simplex as a place in Barycentric.
  struct Corner {
    std::size_t function = 0;
    std::vector<std::size_t> vertices;
  };
  [[nodiscard]] const std::vector<Corner>& corners() const { return corners_; }

 private:
  void list_exponents();
  void list_directions();
  void list_corners();

  std::vector<std::size_t> simplices_, degrees_;
  std::vector<Exponents> exponents_;
  std::vector<Direction> directions_;
  std::vector<Corner> corners_;
};

/// The basis of products: degrees are added.
[[nodiscard]] BernsteinBasis product_basis(const BernsteinBasis& a, const BernsteinBasis& b);

/// Coefficients of a product: c[result] += weight a[left] b[right] over all terms. Weights are positive, and those of a
/// result sum to one.
struct ProductTerm {
  std::uint16_t left = 0, right = 0, result = 0;
  double weight = 0;
};
[[nodiscard]] std::vector<ProductTerm> product_terms(const BernsteinBasis& a, const BernsteinBasis& b,
                                                     const BernsteinBasis& product);

/// Coefficients of the polynomial of degrees 0 to 2 that has these values at the domain points; both overwrite. Exact
/// where halves and sums are.
void interpolate(const BernsteinBasis& basis, std::span<double> values);

struct BernsteinMinimum {
  double lower = 0, upper = 0;  ///< the minimum lies between them
  Barycentric at{};             ///< where the polynomial has the value `upper`
};

struct MinimumSearch {
  double enough = 0;         ///< to end when the minimum is known to be no less than that,
  bool compare_only = true;  ///< or, if so, to be less
  double gap = 0;            ///< or when `upper - lower` is no more than that
};

/// The minimum by halving the element again and again, up to 20,000 times, always where it may be least. Cost per
/// halving: a few sums per coefficient. Bounds close in with the square of the cells' sizes.
[[nodiscard]] BernsteinMinimum find_minimum(const BernsteinBasis& basis, std::span<const double> coefficients,
                                            const MinimumSearch& search);

}  // namespace quartic
