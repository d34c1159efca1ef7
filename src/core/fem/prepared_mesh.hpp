// A mesh that has been checked, with what finite elements work out of it, once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/elements/quadrature.hpp"
#include "core/fem/incidence.hpp"
#include "core/fem/mesh_image.hpp"
#include "quartic/export.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// Made by public functions of the mesh that they are given, and taken by all functions inside, so that a mesh is
/// checked exactly once on its way: there is no other check of it, but that region_mass prepares each region's part,
/// too. What is asked for is made when it is first asked for, also by several threads, but not by the tasks of a loop
/// on all of them.
class QUARTIC_EXPORT PreparedMesh {
 public:
  /// Checks what fem.hpp's functions demand of a mesh: elements, indices in range, regions and materials, numbers that
  /// double precision can carry on (number_range.hpp), Jacobians that are positive beyond round-off at every quadrature
  /// point.
  /// @param mesh must outlive this object unchanged. @throws InputError that names the first offender
  explicit PreparedMesh(const VolumeMesh& mesh);
  explicit PreparedMesh(VolumeMesh&&) = delete;
  PreparedMesh(const PreparedMesh&) = delete;
  PreparedMesh& operator=(const PreparedMesh&) = delete;
  ~PreparedMesh();

  [[nodiscard]] const VolumeMesh& mesh() const { return mesh_; }
  [[nodiscard]] std::int64_t vertex_count() const { return mesh_.vertex_count(); }
  [[nodiscard]] const ElementMaterials& materials() const { return materials_; }
  /// One per block; may outlive this object.
  [[nodiscard]] const std::shared_ptr<const std::vector<Incidence>>& shared_incidences() const;
  [[nodiscard]] const std::vector<Incidence>& incidences() const { return *shared_incidences(); }
  [[nodiscard]] const VertexGraph& graph() const;
  [[nodiscard]] const MeshImage& image() const;

 private:
  const VolumeMesh& mesh_;
  ElementMaterials materials_;
  mutable std::once_flag incidences_made_, graph_made_, image_made_;
  mutable std::shared_ptr<const std::vector<Incidence>> incidences_;
  mutable std::optional<VertexGraph> graph_;
  mutable std::optional<MeshImage> image_;
};

}  // namespace quartic
