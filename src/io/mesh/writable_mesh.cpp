#include "io/mesh/writable_mesh.hpp"

#include <cmath>
#include <string>

#include "quartic/error.hpp"

namespace quartic::io {
namespace {

void require_positions(const VolumeMesh& mesh) {
  if (mesh.vertices.empty() || mesh.element_count() == 0)
    throw InputError("the mesh is empty: there is nothing to write without vertices and elements");
  if (mesh.vertices.size() % 3 != 0) throw InputError("`vertices` must have three numbers per vertex");
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    if (!std::isfinite(mesh.vertices[i]))
      throw InputError("the position of vertex " + std::to_string(i / 3) + " isn't a finite number");
}

void require_vertices_in_range(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                               const std::string& whose) {
  for (const auto v : vertices)
    if (v < 0 || v >= mesh.vertex_count())
      throw InputError(whose + " has vertex " + std::to_string(v) + ", but the mesh has " +
                       std::to_string(mesh.vertex_count()) + " vertices");
}

void require_blocks(const VolumeMesh& mesh) {
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const ElementBlock& block = mesh.blocks[b];
    const std::string name(element_type_name(block.type));
    if (b > 0 && block.type <= mesh.blocks[b - 1].type)
      throw InputError("`blocks` must be ascending by type, at most one per type");
    if (std::ssize(block.vertices) != block.count() * element_vertex_count(block.type))
      throw InputError("the block of " + name + " must have " + std::to_string(element_vertex_count(block.type)) +
                       " vertices per element");
    require_vertices_in_range(mesh, block.vertices, "an element of type " + name);
  }
}

void require_regions(const VolumeMesh& mesh) {
  if (std::ssize(mesh.element_region) != mesh.element_count())
    throw InputError("element_region must have one entry per element");
  for (const auto region : mesh.element_region)
    if (region < -1 || region >= std::ssize(mesh.regions))
      throw InputError("an element is in region " + std::to_string(region) + ", but the mesh has " +
                       std::to_string(mesh.regions.size()) + " regions");
  for (const Region& region : mesh.regions) {
    if (!region.material) continue;
    const Material& material = *region.material;
    if (!std::isfinite(material.youngs_modulus) || !std::isfinite(material.poissons_ratio) ||
        !std::isfinite(material.density))
      throw InputError("region '" + region.name + "' has a material value that isn't a finite number");
  }
}

}  // namespace

void require_writable(const VolumeMesh& mesh) {
  require_positions(mesh);
  require_blocks(mesh);
  require_regions(mesh);
  for (const auto& [name, vertices] : mesh.vertex_sets)
    require_vertices_in_range(mesh, vertices, "vertex set '" + name + "'");
}

}  // namespace quartic::io
