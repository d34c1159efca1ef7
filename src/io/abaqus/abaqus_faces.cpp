#include "io/abaqus/abaqus_faces.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "io/abaqus/abaqus_surfaces.hpp"

namespace quartic::io {
namespace {

std::array<std::int32_t, 4> sorted_corners(const BoundaryFace& face) {
  std::array<std::int32_t, 4> corners = face.corners;
  std::ranges::sort(corners);
  return corners;
}

}  // namespace

std::optional<BoundaryFace> AbaqusFaces::face(std::int64_t element, std::int64_t number) {
  const ElementPlace& place = deck_.elements[static_cast<std::size_t>(element)];
  const std::vector<int>* const local = place.row < 0 ? nullptr : numbered_face(place.type, number);
  if (local == nullptr) return std::nullopt;
  return outwards(element, place.type, *local);
}

std::vector<BoundaryFace> AbaqusFaces::of_surface(const std::string& name) {
  const AbaqusSurface* const surface = deck_.model.surfaces.find(name);
  std::vector<BoundaryFace> faces;
  if (surface == nullptr || surface->is_of_nodes) return faces;
  std::set<std::array<std::int32_t, 4>> open;  // of elements whose boundary faces are all meant
  for (const SurfacePiece& piece : surface->pieces)
    for (const auto e : sets_.elements(deck_.parts.front(), piece.target, piece.place)) {
      const ElementPlace& place = deck_.elements[static_cast<std::size_t>(e)];
      if (place.row < 0 || !element_supported(place.type)) continue;
      if (!piece.face.empty())
        faces.push_back(outwards(e, place.type, face_of_piece(deck_, piece, place.type)));
      else
        for (const std::vector<int>& local : element_table(place.type).faces)
          open.insert(sorted_corners(outwards(e, place.type, local)));
    }
  if (open.empty()) return faces;
  for (const BoundaryFace& face : boundary_faces(mesh_))
    if (open.contains(sorted_corners(face))) faces.push_back(face);
  return faces;
}

BoundaryFace AbaqusFaces::outwards(std::int64_t element, ElementType type, const std::vector<int>& local) {
  std::vector<std::int32_t> vertices;
  for (const auto node : sets_.nodes_of(element)) vertices.push_back(static_cast<std::int32_t>(node));
  BoundaryFace face = quartic::face_of(vertices, local);
  if (ruler(type).signed_volume(mesh_, vertices) < 0) turn_round(face);
  return face;
}

const ElementRuler& AbaqusFaces::ruler(ElementType type) {
  return rulers_.try_emplace(type, element_table(type)).first->second;
}

}  // namespace quartic::io
