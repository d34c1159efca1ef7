#include "core/boundary.hpp"

#include <algorithm>
#include <span>

#include "core/element_geometry.hpp"
#include "core/elements.hpp"

namespace quartic {
namespace {

using Face = std::array<std::int32_t, 4>;

Face face_of(std::span<const std::int32_t> element, const std::vector<int>& corners) {
  Face face{-1, -1, -1, -1};
  for (std::size_t i = 0; i < corners.size(); ++i) face[i] = element[static_cast<std::size_t>(corners[i])];
  return face;
}

/// Calls `visit(element number, vertices, table, face index)` for all faces of supported elements.
template <class Visit>
void for_each_face(const VolumeMesh& mesh, const Visit& visit) {
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const ElementBlock& block = mesh.blocks[b];
    const ElementTable& table = element_table(block.type);
    for (std::int64_t e = 0; e < block.count(); ++e)
      for (std::size_t f = 0; f < table.faces.size(); ++f) visit(b, block.element(e), table, f);
  }
}

// A face's largest vertex chooses its bucket; the others and its number stand in the record.
struct FaceRecord {
  std::array<std::int32_t, 3> others;
  std::int64_t face = 0;
};

/// For each face, in visiting order: true if no other face has the same vertices.
std::vector<bool> unmatched_faces(const VolumeMesh& mesh) {
  const auto n = static_cast<std::size_t>(mesh.vertex_count());
  std::vector<std::int64_t> start(n + 1, 0);
  for_each_face(mesh, [&](std::size_t, auto element, const ElementTable& table, std::size_t f) {
    const Face face = face_of(element, table.faces[f]);
    ++start[static_cast<std::size_t>(*std::max_element(face.begin(), face.end())) + 1];
  });
  for (std::size_t v = 0; v < n; ++v) start[v + 1] += start[v];
  std::vector<FaceRecord> records(static_cast<std::size_t>(start[n]));
  std::vector<std::int64_t> next(start.begin(), start.end() - 1);
  std::int64_t number = 0;
  for_each_face(mesh, [&](std::size_t, auto element, const ElementTable& table, std::size_t f) {
    Face face = face_of(element, table.faces[f]);
    std::sort(face.begin(), face.end());
    records[static_cast<std::size_t>(next[static_cast<std::size_t>(face[3])]++)] = {{face[0], face[1], face[2]},
                                                                                    number++};
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

std::vector<std::array<std::int32_t, 4>> boundary_faces(const VolumeMesh& mesh) {
  const std::vector<bool> unmatched = unmatched_faces(mesh);
  std::vector<ElementRuler> rulers;
  for (const ElementBlock& block : mesh.blocks) rulers.emplace_back(element_table(block.type));
  std::vector<Face> boundary;
  std::size_t number = 0;
  for_each_face(mesh, [&](std::size_t b, auto element, const ElementTable& table, std::size_t f) {
    if (!unmatched[number++]) return;
    Face face = face_of(element, table.faces[f]);
    const auto corners = static_cast<std::ptrdiff_t>(table.faces[f].size());
    if (rulers[b].signed_volume(mesh, element) < 0) std::reverse(face.begin(), face.begin() + corners);
    boundary.push_back(face);
  });
  return boundary;
}

std::vector<std::int32_t> boundary_triangles(const VolumeMesh& mesh) {
  require_indices(mesh);
  std::vector<std::int32_t> triangles;
  for (const Face& face : boundary_faces(mesh)) {
    triangles.insert(triangles.end(), {face[0], face[1], face[2]});
    if (face[3] >= 0) triangles.insert(triangles.end(), {face[0], face[2], face[3]});
  }
  return triangles;
}

}  // namespace quartic
