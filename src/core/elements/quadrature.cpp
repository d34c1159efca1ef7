#include "core/elements/quadrature.hpp"

#include <cmath>
#include <string>

#include "quartic/error.hpp"

namespace quartic {

TabulatedRule::TabulatedRule(const ElementTable& table, const QuadratureRule& rule)
    : vertex_count(table.vertex_count), weights(rule.weights) {
  const auto n = static_cast<std::size_t>(vertex_count);
  for (const auto& point : rule.points) {
    values.emplace_back(n);
    table.shape(point, values.back().data());
    gradients.emplace_back(n);
    table.shape_gradient(point, reinterpret_cast<double(*)[3]>(gradients.back().data()));
  }
}

void gather_positions(const VolumeMesh& mesh, std::span<const std::int32_t> element,
                      std::array<std::array<double, 3>, 20>& x) {
  for (std::size_t a = 0; a < element.size(); ++a)
    for (std::size_t c = 0; c < 3; ++c) x[a][c] = mesh.vertices[3 * static_cast<std::size_t>(element[a]) + c];
}

ElementMaterials::ElementMaterials(const VolumeMesh& mesh) : regions(&mesh.element_region) {
  const auto elements = mesh.element_count();
  if (std::ssize(mesh.element_region) != elements)
    throw InputError("the mesh has " + std::to_string(elements) + " elements, but element_region has " +
                     std::to_string(mesh.element_region.size()) + " entries");
  for (std::int64_t e = 0; e < elements; ++e) {
    const auto region = mesh.element_region[static_cast<std::size_t>(e)];
    if (region < 0 || region >= std::ssize(mesh.regions))
      throw InputError(
          "element " + std::to_string(e) +
          " belongs to no region, so it has no material; add it to a region or give Young's modulus, Poisson's "
          "ratio and density for the whole mesh");
  }
  for (const Region& region : mesh.regions) {
    if (!region.material)
      throw InputError("region '" + region.name +
                       "' has no material; give Young's modulus, Poisson's ratio and density for it");
    check_material(*region.material, "region '" + region.name + "'");
    lambda.push_back(lame_lambda(*region.material));
    mu.push_back(lame_mu(*region.material));
    density.push_back(region.material->density);
    law.push_back(region.material->law);
    mooney_share.push_back(region.material->mooney_share);
  }
}

void require_stvk(const VolumeMesh& mesh, std::string_view what) {
  for (const Region& region : mesh.regions)
    if (region.material && region.material->law != MaterialLaw::stvk)
      throw InputError("region '" + region.name + "' has the material law " +
                       std::string(material_law_name(region.material->law)) + ", but " + std::string(what) +
                       " are those of the law stvk alone; give it the law stvk, or take a cubature (train_cubature)");
}

void require_indices(const VolumeMesh& mesh) {
  const auto n = mesh.vertex_count();
  if (mesh.vertices.size() % 3 != 0) throw InputError("mesh.vertices must have three numbers per vertex");
  for (const double x : mesh.vertices)
    if (!std::isfinite(x)) throw InputError("the mesh has a vertex position that isn't a finite number");
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    if (block.vertices.size() % static_cast<std::size_t>(element_vertex_count(block.type)) != 0)
      throw InputError("the " + std::string(element_type_name(block.type)) + " block has " +
                       std::to_string(block.vertices.size()) + " vertex numbers, not a multiple of " +
                       std::to_string(element_vertex_count(block.type)));
    for (std::int64_t e = 0; e < block.count(); ++e)
      for (const auto v : block.element(e))
        if (v < 0 || v >= n)
          throw InputError("element " + std::to_string(first + e) + " has vertex " + std::to_string(v) +
                           ", but the mesh has " + std::to_string(n) + " vertices");
    first += block.count();
  }
  for (const auto& [name, set] : mesh.vertex_sets)
    for (const auto v : set)
      if (v < 0 || v >= n)
        throw InputError("vertex set '" + name + "' has vertex " + std::to_string(v) + ", but the mesh has " +
                         std::to_string(n) + " vertices");
}

}  // namespace quartic
