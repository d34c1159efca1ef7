// A mesh as kernels read it: plain arrays, with the tables of its element types and its materials beside them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/quadrature.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

struct RuleImage {
  std::vector<double> weights;    ///< shape (points)
  std::vector<double> values;     ///< of the shape functions, shape (points, corners)
  std::vector<double> gradients;  ///< of them by reference coordinates, shape (points, corners, 3)
};

struct BlockImage {
  int corners = 0;         ///< vertices of an element
  bool quadratic = false;  ///< with vertices in the middle of edges
  std::int64_t first_element = 0;
  std::span<const std::int32_t> vertices;  ///< the mesh's, shape (elements, corners)
  RuleImage stiffness, mass;
  [[nodiscard]] std::int64_t count() const { return std::ssize(vertices) / corners; }
};

struct MeshImage {
  /// @param mesh must outlive this object unchanged
  MeshImage(const VolumeMesh& mesh, ElementMaterials its_materials);
  std::span<const double> positions;             ///< the mesh's
  std::span<const std::int32_t> element_region;  ///< the mesh's
  std::vector<BlockImage> blocks;
  ElementMaterials materials;
};

}  // namespace quartic
