#include "core/fem/mesh_image.hpp"

#include <utility>

namespace quartic {
namespace {

RuleImage rule_image(const ElementTable& table, const QuadratureRule& rule) {
  const TabulatedRule tabulated(table, rule);
  RuleImage image;
  image.weights = tabulated.weights;
  for (const auto& point : tabulated.values) image.values.insert(image.values.end(), point.begin(), point.end());
  for (const auto& point : tabulated.gradients)
    for (const auto& gradient : point) image.gradients.insert(image.gradients.end(), gradient.begin(), gradient.end());
  return image;
}

}  // namespace

MeshImage::MeshImage(const VolumeMesh& mesh, ElementMaterials its_materials)
    : positions(mesh.vertices), element_region(mesh.element_region), materials(std::move(its_materials)) {
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const ElementTable& table = element_table(block.type);
    blocks.push_back({.corners = table.vertex_count,
                      .quadratic = is_quadratic(block.type),
                      .first_element = first,
                      .vertices = block.vertices,
                      .stiffness = rule_image(table, stiffness_rule(block)),
                      .mass = rule_image(table, mass_rule(block))});
    first += block.count();
  }
}

}  // namespace quartic
