#include "core/elements/elements.hpp"

#include <string>

#include "core/elements/element_rules.hpp"
#include "core/elements/element_tables.hpp"
#include "core/elements/point_map.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Point = std::array<double, 3>;

const std::vector<ElementTable>& supported_tables() {
  static const std::vector<ElementTable> tables = {tet4_table(),  tet10_table(),  hex8_table(),
                                                   hex20_table(), wedge6_table(), wedge15_table()};
  return tables;
}

std::string supported_names() {
  std::string names;
  for (const ElementTable& table : supported_tables())
    names += (names.empty() ? "" : ", ") + std::string(element_type_name(table.type));
  return names;
}

struct TypeName {
  std::string_view name;
  int vertex_count;
};
constexpr std::array<TypeName, element_type_count> type_names = {
    {{"tet4", 4}, {"tet10", 10}, {"hex8", 8}, {"hex20", 20}, {"wedge6", 6}, {"wedge15", 15}, {"pyramid5", 5}}};

bool has_two_points_per_axis(const ElementBlock& block) {
  return block.type == ElementType::hex8 && block.hexahedron_rule == HexahedronRule::gauss_2x2x2;
}

const QuadratureRule& rule_of_two_points_per_axis() {
  static const QuadratureRule rule = hexahedron_gauss_8();
  return rule;
}

}  // namespace

std::string_view element_type_name(ElementType type) {
  return type_names[static_cast<std::size_t>(type)].name;
}

int element_vertex_count(ElementType type) {
  return type_names[static_cast<std::size_t>(type)].vertex_count;
}

bool element_supported(ElementType type) {
  for (const ElementTable& table : supported_tables())
    if (table.type == type) return true;
  return false;
}

const ElementTable& element_table(ElementType type) {
  for (const ElementTable& table : supported_tables())
    if (table.type == type) return table;
  throw InputError("elements of type " + std::string(element_type_name(type)) +
                   " can't be used by this version; it knows " + supported_names());
}

const QuadratureRule& stiffness_rule(const ElementBlock& block) {
  return has_two_points_per_axis(block) ? rule_of_two_points_per_axis() : element_table(block.type).stiffness_rule;
}

const QuadratureRule& mass_rule(const ElementBlock& block) {
  return has_two_points_per_axis(block) ? rule_of_two_points_per_axis() : element_table(block.type).mass_rule;
}

std::optional<ElementType> quadratic_type(ElementType type) {
  switch (type) {
    case ElementType::tet4:
      return ElementType::tet10;
    case ElementType::hex8:
      return ElementType::hex20;
    case ElementType::wedge6:
      return ElementType::wedge15;
    default:
      return std::nullopt;
  }
}

ElementTable with_middles(const ElementTable& linear, ElementType type) {
  ElementTable table = linear;
  table.type = type;
  table.vertex_count = element_vertex_count(type);
  table.affine = false;
  const auto middle = [&](int a, int b) {  // -1 if there is no such edge
    for (std::size_t e = 0; e < linear.edges.size(); ++e) {
      const auto i = static_cast<int>(linear.edges[e][0]), j = static_cast<int>(linear.edges[e][1]);
      if ((i == a && j == b) || (i == b && j == a)) return linear.vertex_count + static_cast<int>(e);
    }
    return -1;
  };
  for (const auto& [a, b] : linear.edges) {
    Point& position = table.corners.emplace_back();
    for (std::size_t c = 0; c < 3; ++c) position[c] = 0.5 * (linear.corners[a][c] + linear.corners[b][c]);
  }
  for (std::vector<int>& face : table.faces) {
    const std::size_t corners = face.size();
    for (std::size_t i = 0; i < corners; ++i) face.push_back(middle(face[i], face[(i + 1) % corners]));
  }
  const auto mirrored = [&](std::size_t vertex) {
    for (const auto& [a, b] : linear.mirror_swaps) {
      if (static_cast<std::size_t>(a) == vertex) return b;
      if (static_cast<std::size_t>(b) == vertex) return a;
    }
    return static_cast<int>(vertex);
  };
  for (const auto& [a, b] : linear.edges) {
    const int from = middle(static_cast<int>(a), static_cast<int>(b)), to = middle(mirrored(a), mirrored(b));
    if (from < to) table.mirror_swaps.push_back({from, to});
  }
  return table;
}

void point_geometry(std::span<const Point> x, const double (*reference)[3], double weight, PointGeometry& geometry) {
  // J_cd = dX_c / dxi_d; gradients by position are J^-T times those by reference coordinate.
  double jacobian[3][3] = {};
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = 0; d < 3; ++d) jacobian[c][d] += x[a][c] * reference[a][d];
  const PointMap map = point_map(jacobian);
  geometry.weight = weight * map.determinant;
  for (std::size_t a = 0; a < x.size(); ++a)
    for (int c = 0; c < 3; ++c) geometry.gradient[a][static_cast<std::size_t>(c)] = map.gradient(c, reference[a]);
}

}  // namespace quartic
