// Closed surfaces among the boundary faces of a mesh.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/base/disjoint_sets.hpp"
#include "core/base/number_text.hpp"
#include "core/chambers/face_triples.hpp"
#include "core/elements/quadrature.hpp"
#include "core/elements/vectors.hpp"
#include "core/mesh/boundary.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// The face as the chamber sees it, wound the other way than the body's: the first corner stays, and edge i goes back
// along the body's edge n - 1 - i.
void append_face(const BoundaryFace& face, std::vector<std::int32_t>& faces) {
  const std::ptrdiff_t corners = face.corners[3] < 0 ? 3 : 4;
  std::array<std::int32_t, 4> turned = face.corners, middles = face.middles;
  std::reverse(turned.begin() + 1, turned.begin() + corners);
  std::reverse(middles.begin(), middles.begin() + corners);
  faces.insert(faces.end(), turned.begin(), turned.end());
  faces.insert(faces.end(), middles.begin(), middles.end());
}

// An edge by its ends, the lower first, and its middle.
using Edge = std::array<std::int32_t, 3>;

// Calls visit(edge, forwards) for the edges of a face.
template <class Visit>
void for_each_edge(std::span<const std::int32_t> face, const Visit& visit) {
  const std::size_t corners = face[3] < 0 ? 3 : 4;
  for (std::size_t i = 0; i < corners; ++i) {
    const std::int32_t a = face[i], b = face[(i + 1) % corners];
    visit(Edge{std::min(a, b), std::max(a, b), face[4 + i]}, a < b);
  }
}

std::span<const std::int32_t> face_of(const Chamber& chamber, std::int64_t f) {
  return std::span(chamber.faces).subspan(static_cast<std::size_t>(f) * chamber_face_size, chamber_face_size);
}

std::string named(const Chamber& chamber) {
  return "chamber '" + chamber.name + "'";
}

std::string near(const VolumeMesh& mesh, const Edge& edge) {
  const auto a = position(mesh, edge[0]), b = position(mesh, edge[1]);
  std::string text = "between vertices " + std::to_string(edge[0]) + " and " + std::to_string(edge[1]) + ", near";
  for (std::size_t c = 0; c < 3; ++c) text += " " + number_text((a[c] + b[c]) / 2, 4);
  return text;
}

void check_faces(const VolumeMesh& mesh, const Chamber& chamber) {
  if (chamber.faces.empty()) throw InputError(named(chamber) + " has no faces");
  if (chamber.faces.size() % chamber_face_size != 0)
    throw InputError(named(chamber) + " must have " + std::to_string(chamber_face_size) + " numbers per face");
  for (std::int64_t f = 0; f < chamber.face_count(); ++f) {
    const auto face = face_of(chamber, f);
    const std::ptrdiff_t corners = face[3] == -1 ? 3 : 4, middles = face[4] == -1 ? 0 : corners;
    std::vector<std::int32_t> vertices(face.begin(), face.begin() + corners);
    vertices.insert(vertices.end(), face.begin() + 4, face.begin() + 4 + middles);
    const bool in_range =
        std::ranges::all_of(vertices, [&](std::int32_t v) { return v >= 0 && v < mesh.vertex_count(); });
    const bool rest_absent =
        std::all_of(face.begin() + 4 + middles, face.end(), [](std::int32_t v) { return v == -1; });
    std::ranges::sort(vertices);
    if (!in_range || !rest_absent || std::ranges::adjacent_find(vertices) != vertices.end())
      throw InputError("face " + std::to_string(f) + " of " + named(chamber) +
                       " isn't 3 or 4 vertices of the mesh, with as many middles of edges or none");
  }
}

void require_closed(const VolumeMesh& mesh, const Chamber& chamber) {
  std::map<Edge, int> balance;  // how often the faces run along an edge forwards, less how often backwards
  for (std::int64_t f = 0; f < chamber.face_count(); ++f)
    for_each_edge(face_of(chamber, f), [&](const Edge& edge, bool forwards) { balance[edge] += forwards ? 1 : -1; });
  std::int64_t open = 0;
  const Edge* first = nullptr;
  for (const auto& [edge, count] : balance)
    if (count != 0 && ++open == 1) first = &edge;
  if (open == 0) return;
  throw InputError(named(chamber) + " isn't closed: of its " + counted(chamber.face_count(), "face", "", "") +
                   std::to_string(open) + (open == 1 ? " edge has" : " edges have") +
                   " no face on the other side, the first " + near(mesh, *first) +
                   "; a chamber has all faces around a cavity, and an opening has to be closed by elements");
}

double volume_at_rest(const VolumeMesh& mesh, const Chamber& chamber) {
  const std::array<double, 3> middle = position(mesh, chamber.faces.front());
  double volume = 0;
  for (std::int64_t f = 0; f < chamber.face_count(); ++f) {
    const std::vector<std::int32_t> vertices = face_vertices(chamber, f);
    const auto x = [&](std::int32_t place) {
      return difference(position(mesh, vertices[static_cast<std::size_t>(place)]), middle);
    };
    for (const PositionTriple& term : triples_of_face(vertices.size()))
      volume += term.weight * dot(x(term.places[0]), cross(x(term.places[1]), x(term.places[2])));
  }
  return volume;
}

// The faces' parts that hang together by edges.
std::vector<Chamber> parts_of(const Chamber& chamber) {
  DisjointSets sets(static_cast<std::size_t>(chamber.face_count()));
  std::map<Edge, std::int32_t> first_face;
  for (std::int32_t f = 0; f < chamber.face_count(); ++f)
    for_each_edge(face_of(chamber, f),
                  [&](const Edge& edge, bool) { sets.join(first_face.try_emplace(edge, f).first->second, f); });
  std::map<std::int32_t, Chamber> parts;
  for (std::int32_t f = 0; f < chamber.face_count(); ++f) {
    Chamber& part = parts[sets.root(f)];
    const auto face = face_of(chamber, f);
    part.faces.insert(part.faces.end(), face.begin(), face.end());
  }
  std::vector<Chamber> result;
  for (auto& [root, part] : parts) result.push_back({chamber.name, std::move(part.faces)});
  return result;
}

}  // namespace

void check_chamber(const VolumeMesh& mesh, const Chamber& chamber) {
  check_faces(mesh, chamber);
  require_closed(mesh, chamber);
  if (!(volume_at_rest(mesh, chamber) > 0))
    throw InputError(named(chamber) +
                     " encloses no volume at rest: its faces must be wound so that normals point out of the cavity");
}

Chamber find_chamber(const VolumeMesh& mesh, std::span<const std::int32_t> vertices, std::string name) {
  Chamber chamber{std::move(name), {}};
  for (const BoundaryFace& face : boundary_faces_of(mesh, vertices)) append_face(face, chamber.faces);
  if (chamber.faces.empty())
    throw InputError(named(chamber) + ": no face of the body's boundary has all its vertices among the " +
                     std::to_string(vertices.size()) + " that were given; name those around a cavity");
  require_closed(mesh, chamber);
  for (const Chamber& part : parts_of(chamber))
    if (const double volume = volume_at_rest(mesh, part); !(volume > 0))
      throw InputError(named(chamber) + ": " + std::to_string(part.face_count()) +
                       " of its faces are around the body and not around a cavity, with " + number_text(-volume, 4) +
                       " m^3 of it inside; leave their vertices out");
  return chamber;
}

Chamber find_chamber(const VolumeMesh& mesh, std::string_view vertex_set) {
  return find_chamber(mesh, find_vertex_set(mesh, vertex_set), std::string(vertex_set));
}

std::vector<Chamber> find_cavities(const VolumeMesh& mesh) {
  require_indices(mesh);
  Chamber boundary;
  for (const BoundaryFace& face : boundary_faces(mesh)) append_face(face, boundary.faces);
  std::vector<Chamber> cavities;
  for (Chamber& part : parts_of(boundary)) {
    if (!(volume_at_rest(mesh, part) > 0)) continue;
    part.name = "cavity-" + std::to_string(cavities.size() + 1);
    cavities.push_back(std::move(part));
  }
  return cavities;
}

}  // namespace quartic
