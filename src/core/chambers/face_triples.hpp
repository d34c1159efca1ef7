// A chamber's volume as a polynomial of vertex positions.
//
// On a face x = sum_a N_a x_a, so that 1/3 int x . (x_xi cross x_eta) is a sum of determinants det(x_a, x_b, x_c) with
// weights that depend on the type of the face alone: 1 triple of vertices for a triangle, 4 for a bilinear
// quadrilateral, 20 and 56 for quadratic ones.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/chambers.hpp"

namespace quartic {

/// One term of V = sum weight det(x_a, x_b, x_c).
struct PositionTriple {
  std::array<std::int32_t, 3> places;
  double weight;
};

/// The terms of a face of 3 or 4 corners, or these and as many middles, by places among its vertices.
[[nodiscard]] const std::vector<PositionTriple>& triples_of_face(std::size_t vertices);

/// The vertices of face `f`, corners first, without places that it doesn't have.
[[nodiscard]] std::vector<std::int32_t> face_vertices(const Chamber& chamber, std::int64_t f);

/// A chamber's terms on numbered vertices of its own.
struct ChamberTriples {
  std::vector<std::int32_t> vertices;   ///< of the mesh, ascending
  std::vector<double> rest;             ///< their positions at rest about a point amid them [m], shape (vertices, 3)
  std::vector<PositionTriple> triples;  ///< places among `vertices`
};

/// @throws InputError as enclosed_volume
[[nodiscard]] ChamberTriples chamber_triples(const VolumeMesh& mesh, const Chamber& chamber);

/// Checks that the faces' vertices are of the mesh and differ, and that the faces are closed around a volume at rest.
/// @throws InputError that names the chamber and says what is wrong, and where
void check_chamber(const VolumeMesh& mesh, const Chamber& chamber);

/// Of one chamber for many displacements of the same mesh.
class ChamberVolume {
 public:
  /// @throws InputError as enclosed_volume
  ChamberVolume(const VolumeMesh& mesh, const Chamber& chamber) : triples_(chamber_triples(mesh, chamber)) {}

  /// V(u). @param u shape (3n), or empty: at rest
  [[nodiscard]] double volume(std::span<const double> u) const;
  /// gradient += scale dV/du. @param gradient shape (3n)
  void add_gradient(double scale, std::span<const double> u, std::span<double> gradient) const;
  /// Calls add(vertex, vertex, block) for terms of d2V/du2, blocks of 3 x 3 numbers row by row; a pair of vertices may
  /// come several times, and comes in both orders.
  template <class Add>
  void for_each_hessian_block(std::span<const double> u, const Add& add) const;

 private:
  [[nodiscard]] std::vector<std::array<double, 3>> positions(std::span<const double> u) const;

  ChamberTriples triples_;
};

template <class Add>
void ChamberVolume::for_each_hessian_block(std::span<const double> u, const Add& add) const {
  const auto x = positions(u);
  for (const PositionTriple& term : triples_.triples)
    for (std::size_t k = 0; k < 3; ++k) {  // d2 det(a, b, c) / da db = -[c], the matrix of c cross
      const auto a = static_cast<std::size_t>(term.places[k]), b = static_cast<std::size_t>(term.places[(k + 1) % 3]);
      const auto& c = x[static_cast<std::size_t>(term.places[(k + 2) % 3])];
      const double cx = term.weight * c[0], cy = term.weight * c[1], cz = term.weight * c[2];
      add(triples_.vertices[a], triples_.vertices[b], std::array<double, 9>{0, cz, -cy, -cz, 0, cx, cy, -cx, 0});
      add(triples_.vertices[b], triples_.vertices[a], std::array<double, 9>{0, -cz, cy, cz, 0, -cx, -cy, cx, 0});
    }
}

}  // namespace quartic
