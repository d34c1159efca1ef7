// Element types as tables: shape functions, quadrature, faces. A new type is one more table in its family's file,
// elements_*.cpp, and in the list of elements.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic {

/// Points in the reference element with positive weights that sum to its volume.
struct QuadratureRule {
  std::vector<std::array<double, 3>> points;
  std::vector<double> weights;
};

/// Everything the library needs to know of an element type.
struct ElementTable {
  ElementType type{};
  int vertex_count = 0;
  bool affine = false;  ///< the Jacobian is the same everywhere in an element
  /// Shape functions at a reference point: values[vertex_count].
  void (*shape)(const std::array<double, 3>& xi, double* values) = nullptr;
  /// Their derivatives by reference coordinates: gradients[vertex_count][3].
  void (*shape_gradient)(const std::array<double, 3>& xi, double (*gradients)[3]) = nullptr;
  std::vector<std::array<double, 3>> corners;     ///< reference positions of all vertices
  std::vector<std::array<std::size_t, 2>> edges;  ///< ends of the edges; quadratic types have a vertex in the middle of
                                                  ///< each, in this order, behind the corners
  QuadratureRule stiffness_rule;                  ///< for energy, force, stiffness; see stiffness_rule below
  QuadratureRule mass_rule;
  std::vector<std::vector<int>> faces;  ///< vertices of each face, wound outwards: 3 or 4 corners, and of quadratic
                                        ///< types then the middles of the edges 0-1, 1-2, ...
  std::vector<std::array<int, 2>> mirror_swaps;  ///< vertex swaps that turn an inverted element round
};

/// The table of a type. @throws InputError that names the type if this version doesn't support it
[[nodiscard]] const ElementTable& element_table(ElementType type);

/// True for the types that this version supports.
[[nodiscard]] bool element_supported(ElementType type);

/// The rules that a block's integrals go by: its type's, or of hex8 the one that the block asks for.
[[nodiscard]] const QuadratureRule& stiffness_rule(const ElementBlock& block);
[[nodiscard]] const QuadratureRule& mass_rule(const ElementBlock& block);

/// True for types with vertices in the middle of edges.
[[nodiscard]] constexpr bool is_quadratic(ElementType type) {
  return type == ElementType::tet10 || type == ElementType::hex20 || type == ElementType::wedge15;
}

/// True for types with triangles at both ends.
[[nodiscard]] constexpr bool is_wedge(ElementType type) {
  return type == ElementType::wedge6 || type == ElementType::wedge15;
}

/// The type with the same corners and a vertex in the middle of each edge: tet10 for tet4, hex20 for hex8, wedge15 for
/// wedge6; nothing for other types.
[[nodiscard]] std::optional<ElementType> quadratic_type(ElementType type);

/// Geometry at one quadrature point of one element.
struct PointGeometry {
  double weight = 0;  ///< quadrature weight times |J| [m^3]; not positive if the element is inverted there
  std::array<std::array<double, 3>, 20> gradient{};  ///< of each shape function by rest position [1/m]
};

/// Fills `geometry` for the element with vertex positions `x[vertex_count][3]` at reference gradients `reference`.
void point_geometry(std::span<const std::array<double, 3>> x, const double (*reference)[3], double weight,
                    PointGeometry& geometry);

}  // namespace quartic
