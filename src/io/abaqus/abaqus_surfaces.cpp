// Abaqus Keywords Reference Guide, *SURFACE; faces are numbered as in the Abaqus Elements Guide, "Solid elements".
#include "io/abaqus/abaqus_surfaces.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/elements/elements.hpp"
#include "io/text/text.hpp"

namespace quartic::io {
namespace {

using Corners = std::array<int, 4>;  // of a face; the last is -1 for triangles

constexpr Corners tetrahedron[] = {{0, 1, 2, -1}, {0, 3, 1, -1}, {1, 3, 2, -1}, {2, 3, 0, -1}};
constexpr Corners wedge[] = {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}};
constexpr Corners hexahedron[] = {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};

std::span<const Corners> faces_of(ElementType type) {
  switch (type) {
    case ElementType::tet4:
    case ElementType::tet10:
      return tetrahedron;
    case ElementType::wedge6:
    case ElementType::wedge15:
      return wedge;
    case ElementType::hex8:
    case ElementType::hex20:
      return hexahedron;
    default:
      return {};
  }
}

// The face of the type's table that has these corners, middles included.
const std::vector<int>* face_with(const ElementTable& table, const Corners& corners) {
  const auto found = std::ranges::find_if(table.faces, [&](const std::vector<int>& face) {
    return std::ranges::all_of(corners, [&](int c) { return c < 0 || std::ranges::find(face, c) != face.end(); });
  });
  return found == table.faces.end() ? nullptr : &*found;
}

void add_face(const PlacedDeck& deck, const AbaqusSets& sets, std::int64_t element, const SurfacePiece& piece,
              std::vector<std::int32_t>& vertices) {
  const ElementPlace& place = deck.elements[static_cast<std::size_t>(element)];
  if (place.row < 0) return;
  const auto nodes = sets.nodes_of(element);
  if (piece.face.empty()) {
    for (const auto node : nodes) vertices.push_back(static_cast<std::int32_t>(node));
    return;
  }
  for (const int local : face_of_piece(deck, piece, place.type))
    vertices.push_back(static_cast<std::int32_t>(nodes[static_cast<std::size_t>(local)]));
}

}  // namespace

const std::vector<int>* numbered_face(ElementType type, std::int64_t number) {
  const auto faces = faces_of(type);
  if (number < 1 || number > std::ssize(faces)) return nullptr;
  return face_with(element_table(type), faces[static_cast<std::size_t>(number) - 1]);
}

const std::vector<int>& face_of_piece(const PlacedDeck& deck, const SurfacePiece& piece, ElementType type) {
  const auto number = piece.face.front() == 'S' ? parse_integer(piece.face.substr(1)) : std::nullopt;
  const auto* const face = numbered_face(type, number.value_or(0));
  if (face == nullptr) deck.deck.fail(piece.place, "*SURFACE: " + quote(piece.face) + " is no face of its elements");
  return *face;
}

std::vector<std::int32_t> surface_vertices(const PlacedDeck& deck, AbaqusSets& sets, const std::string& name) {
  const AbaqusSurface* const surface = deck.model.surfaces.find(name);
  std::vector<std::int32_t> vertices;
  if (surface == nullptr) return vertices;
  for (const SurfacePiece& piece : surface->pieces) {
    if (surface->is_of_nodes) {
      for (const auto node : sets.nodes(piece.target, piece.place, "*SURFACE"))
        vertices.push_back(static_cast<std::int32_t>(node));
      continue;
    }
    for (const auto element : sets.elements(deck.parts.front(), piece.target, piece.place))
      add_face(deck, sets, element, piece, vertices);
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

}  // namespace quartic::io
