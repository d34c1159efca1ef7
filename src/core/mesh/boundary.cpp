#include "core/mesh/boundary.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "core/elements/element_geometry.hpp"
#include "core/elements/elements.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

bool is_triangle(const BoundaryFace& face) {
  return face.corners[3] < 0;
}

/// Calls `visit(block index, vertices, table, face index)` for all faces of supported elements.
template <class Visit>
void for_each_face(const VolumeMesh& mesh, const Visit& visit) {
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const ElementBlock& block = mesh.blocks[b];
    const ElementTable& table = element_table(block.type);
    for (std::int64_t e = 0; e < block.count(); ++e)
      for (std::size_t f = 0; f < table.faces.size(); ++f) visit(b, block.element(e), table, f);
  }
}

// A face's largest corner chooses its bucket; the others and its number stand in the record.
struct FaceRecord {
  std::array<std::int32_t, 7> others;  // corners, then middles, each sorted
  std::int64_t face = 0;
};

FaceRecord record_of(const BoundaryFace& face, std::int64_t number) {
  const auto& [a, b, c, largest] = face.corners;
  const auto& [ab, bc, cd, da] = face.middles;
  return {{a, b, c, ab, bc, cd, da}, number};
}

/// For each face, in visiting order: true if no other face has the same vertices.
std::vector<bool> unmatched_faces(const VolumeMesh& mesh) {
  const auto n = static_cast<std::size_t>(mesh.vertex_count());
  std::vector<std::int64_t> start(n + 1, 0);
  for_each_face(mesh, [&](std::size_t, auto element, const ElementTable& table, std::size_t f) {
    const auto corners = face_of(element, table.faces[f]).corners;
    ++start[static_cast<std::size_t>(*std::max_element(corners.begin(), corners.end())) + 1];
  });
  for (std::size_t v = 0; v < n; ++v) start[v + 1] += start[v];
  std::vector<FaceRecord> records(static_cast<std::size_t>(start[n]));
  std::vector<std::int64_t> next(start.begin(), start.end() - 1);
  std::int64_t number = 0;
  for_each_face(mesh, [&](std::size_t, auto element, const ElementTable& table, std::size_t f) {
    BoundaryFace face = face_of(element, table.faces[f]);
    std::sort(face.corners.begin(), face.corners.end());
    std::sort(face.middles.begin(), face.middles.end());
    records[static_cast<std::size_t>(next[static_cast<std::size_t>(face.corners[3])]++)] = record_of(face, number++);
  });
  std::vector<bool> unmatched(records.size(), true);
  for (std::size_t v = 0; v < n; ++v) {
    const auto begin = records.begin() + start[v], end = records.begin() + start[v + 1];
    std::sort(begin, end, [](const FaceRecord& a, const FaceRecord& b) { return a.others < b.others; });
    for (auto record = begin; record != end && record + 1 != end; ++record)
      if (record->others == record[1].others)
        unmatched[static_cast<std::size_t>(record->face)] = unmatched[static_cast<std::size_t>(record[1].face)] = false;
  }
  return unmatched;
}

}  // namespace

BoundaryFace face_of(std::span<const std::int32_t> element, const std::vector<int>& vertices) {
  BoundaryFace face;
  const std::size_t corners = vertices.size() > 4 ? vertices.size() / 2 : vertices.size();
  for (std::size_t i = 0; i < vertices.size(); ++i)
    (i < corners ? face.corners[i] : face.middles[i - corners]) = element[static_cast<std::size_t>(vertices[i])];
  return face;
}

// The edge back to the first corner stays the last one.
void turn_round(BoundaryFace& face) {
  const std::ptrdiff_t corners = is_triangle(face) ? 3 : 4;
  std::reverse(face.corners.begin(), face.corners.begin() + corners);
  std::reverse(face.middles.begin(), face.middles.begin() + corners - 1);
}

std::vector<BoundaryFace> boundary_faces(const VolumeMesh& mesh) {
  const std::vector<bool> unmatched = unmatched_faces(mesh);
  std::vector<ElementRuler> rulers;
  for (const ElementBlock& block : mesh.blocks) rulers.emplace_back(element_table(block.type));
  std::vector<BoundaryFace> boundary;
  std::size_t number = 0;
  std::int64_t element_number = -1;
  for_each_face(mesh, [&](std::size_t b, auto element, const ElementTable& table, std::size_t f) {
    if (f == 0) ++element_number;
    if (!unmatched[number++]) return;
    BoundaryFace face = face_of(element, table.faces[f]);
    face.element = element_number;
    if (rulers[b].signed_volume(mesh, element) < 0) turn_round(face);
    boundary.push_back(face);
  });
  return boundary;
}

std::vector<BoundaryFace> boundary_faces_of(const VolumeMesh& mesh, std::span<const std::int32_t> vertices) {
  require_indices(mesh);
  std::vector<bool> chosen(static_cast<std::size_t>(mesh.vertex_count()));
  for (const std::int32_t v : vertices) {
    if (v < 0 || v >= mesh.vertex_count())
      throw InputError("vertex " + std::to_string(v) + " is outside 0 .. " + std::to_string(mesh.vertex_count() - 1));
    chosen[static_cast<std::size_t>(v)] = true;
  }
  const auto is_chosen = [&](std::int32_t v) { return v < 0 || chosen[static_cast<std::size_t>(v)]; };
  std::vector<BoundaryFace> faces = boundary_faces(mesh);
  std::erase_if(faces, [&](const BoundaryFace& face) {
    return !std::ranges::all_of(face.corners, is_chosen) || !std::ranges::all_of(face.middles, is_chosen);
  });
  return faces;
}

std::vector<std::int32_t> boundary_triangles(const VolumeMesh& mesh) {
  require_indices(mesh);
  std::vector<std::int32_t> triangles;
  for (const BoundaryFace& face : boundary_faces(mesh)) {
    const auto& [a, b, c, d] = face.corners;
    const auto& [ab, bc, cd, da] = face.middles;
    const std::int32_t ca = cd;  // of a triangle
    if (ab < 0 && is_triangle(face))
      triangles.insert(triangles.end(), {a, b, c});
    else if (ab < 0)
      triangles.insert(triangles.end(), {a, b, c, a, c, d});
    else if (is_triangle(face))  // a curved face as flat ones: corners cut off along lines between middles
      triangles.insert(triangles.end(), {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca});
    else
      triangles.insert(triangles.end(), {a, ab, da, ab, b, bc, bc, c, cd, cd, d, da, ab, bc, cd, ab, cd, da});
  }
  return triangles;
}

}  // namespace quartic
