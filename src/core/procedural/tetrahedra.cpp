#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "quartic/error.hpp"
#include "quartic/procedural.hpp"

namespace quartic {

namespace {

using Edge = std::array<std::int32_t, 2>;

// Kuhn's six tetrahedra around the diagonal 0-6.
constexpr std::array<std::array<std::size_t, 4>, 6> kuhn_tetrahedra = {
    {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};

// The faces of a hexahedron, each from one end of the diagonal that the tetrahedra draw on it.
constexpr std::array<std::array<std::size_t, 4>, 6> faces = {
    {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {3, 2, 6, 7}, {0, 3, 7, 4}}};

Edge sorted(std::int32_t a, std::int32_t b) {
  return {std::min(a, b), std::max(a, b)};
}

/// Checks that two elements draw the same diagonal on the face between them.
void check_diagonals(const ElementBlock& block) {
  std::map<std::array<std::int32_t, 4>, Edge> diagonals;
  for (std::int64_t e = 0; e < block.count(); ++e) {
    const auto corners = block.element(e);
    for (const auto& face : faces) {
      std::array<std::int32_t, 4> key = {corners[face[0]], corners[face[1]], corners[face[2]], corners[face[3]]};
      const Edge diagonal = sorted(key[0], key[2]);
      std::sort(key.begin(), key.end());
      const auto [entry, is_new] = diagonals.try_emplace(key, diagonal);
      if (!is_new && entry->second != diagonal)
        throw InputError("element " + std::to_string(e) +
                         " (counted from 0) would be cut along another diagonal than its neighbour: split only meshes "
                         "whose hexahedra number their corners along the axes of one lattice");
    }
  }
}

}  // namespace

VolumeMesh split_into_tetrahedra(const VolumeMesh& mesh) {
  if (mesh.blocks.size() != 1 || mesh.blocks.front().type != ElementType::hex8)
    throw InputError("only meshes of hex8 and nothing else can be split into tetrahedra");
  const ElementBlock& hexahedra = mesh.blocks.front();
  if (hexahedra.vertices.size() % 8 != 0) throw InputError("a hex8 has eight vertices; the last one has fewer");
  if (std::ssize(mesh.element_region) != hexahedra.count())
    throw InputError("element_region needs one entry per element");
  check_diagonals(hexahedra);

  VolumeMesh result = mesh;
  ElementBlock& tetrahedra = result.blocks.front();
  tetrahedra = {ElementType::tet4, {}};
  tetrahedra.vertices.reserve(hexahedra.vertices.size() * 3);
  result.element_region.clear();
  for (std::int64_t e = 0; e < hexahedra.count(); ++e) {
    for (const auto& tetrahedron : kuhn_tetrahedra)
      for (const std::size_t corner : tetrahedron) tetrahedra.vertices.push_back(hexahedra.element(e)[corner]);
    result.element_region.insert(result.element_region.end(), kuhn_tetrahedra.size(),
                                 mesh.element_region[static_cast<std::size_t>(e)]);
  }
  return result;
}

}  // namespace quartic
