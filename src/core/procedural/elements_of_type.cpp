#include "core/procedural/elements_of_type.hpp"

#include <utility>

#include "quartic/error.hpp"

namespace quartic {

namespace {

// A middle between two fixed vertices is fixed, too.
ProceduralMesh quadratic(ProceduralMesh shape) {
  shape.mesh.vertex_sets["fixed"] = std::move(shape.fixed_vertices);
  shape.mesh = make_quadratic(std::move(shape.mesh));
  shape.fixed_vertices = std::move(shape.mesh.vertex_sets["fixed"]);
  shape.mesh.vertex_sets.clear();
  return shape;
}

}  // namespace

void check_element_type(ElementType type, const std::string& shape) {
  if (type != ElementType::hex8 && type != ElementType::tet4 && type != ElementType::tet10)
    throw InputError("a " + shape + " is made of hex8, tet4 or tet10, not of " + std::string(element_type_name(type)));
}

ProceduralMesh elements_of_type(ProceduralMesh shape, ElementType type) {
  if (type == ElementType::hex8) return shape;
  shape.mesh = split_into_tetrahedra(shape.mesh);
  return type == ElementType::tet4 ? shape : quadratic(std::move(shape));
}

}  // namespace quartic
