// Gathers bricks that meet at shared vertices.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic {

/// A vertex's place in the shape's own lattice. Bricks that name the same place share the vertex, so that the mesh is
/// conforming by construction, whatever round-off does to positions.
using Place = std::array<int, 4>;

class BrickBuilder {
 public:
  /// @param position rest position [m] of a place, asked once for each
  explicit BrickBuilder(std::function<std::array<double, 3>(const Place&)> position) : position_(std::move(position)) {}

  /// Adds a brick; corners in VTK order (bottom counter-clockwise seen from above, then top).
  void add(const std::array<Place, 8>& corners);

  /// The vertices whose places fulfil `condition`, sorted.
  [[nodiscard]] std::vector<std::int32_t> vertices_where(const std::function<bool(const Place&)>& condition) const;

  /// The mesh: one block of hex8, one region of this name and material. The builder is empty afterwards.
  [[nodiscard]] VolumeMesh finish(const std::string& region, const Material& material);

 private:
  std::int32_t vertex(const Place& place);

  std::function<std::array<double, 3>(const Place&)> position_;
  std::map<Place, std::int32_t> vertices_;
  std::vector<double> positions_;
  std::vector<std::int32_t> bricks_;
};

}  // namespace quartic
