#include "support/surface.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstddef>
#include <map>
#include <utility>

namespace quartic::test {

double enclosed_volume(const VolumeMesh& mesh) {
  const auto triangles = boundary_triangles(mesh);
  double six_volumes = 0;
  std::map<std::pair<int, int>, int> edges;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    Eigen::Matrix3d x;
    for (std::size_t i = 0; i < 3; ++i) {
      x.col(static_cast<Eigen::Index>(i)) =
          Eigen::Vector3d::Map(&mesh.vertices[static_cast<std::size_t>(3 * triangles[t + i])]);
      ++edges[{triangles[t + i], triangles[t + (i + 1) % 3]}];
    }
    six_volumes += x.determinant();
  }
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(edges.count({edge.second, edge.first}), 1U) << "the surface isn't closed";
  }
  return six_volumes / 6;
}

}  // namespace quartic::test
