// Normals and areas of a mesh's boundary at its vertices.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic {

/// What a boundary face has at one of its vertices.
struct FaceCorner {
  std::int32_t vertex = 0;
  Eigen::Vector3d normal;  ///< outwards, of length 1; of a curved face there
  double area = 0;  ///< the vertex' share of the face, with quadratic faces cut along lines between middles [m^2]
  double face_area = 0;
  std::int64_t element = 0;  ///< that the face belongs to, counted over all blocks
};

/// Of the boundary faces whose vertices are all among these. @throws InputError for a vertex out of range
[[nodiscard]] std::vector<FaceCorner> boundary_corners(const VolumeMesh& mesh, std::span<const std::int32_t> vertices);

/// For each of these vertices, all different, its share of the whole: by area where they make up boundary faces, else
/// the same for each. The sum is 1. @param area [m^2]: of these faces; may be null
[[nodiscard]] std::vector<double> area_shares(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                              double* area = nullptr);

}  // namespace quartic
