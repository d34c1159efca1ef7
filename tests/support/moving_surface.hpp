// A motion, and where it takes a model's surface, computed by other means than the exporters': for tests of these.
#pragma once

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "support/support.hpp"

namespace quartic::test {

/// Random coordinates of two bodies, a frame every 0.01 s.
inline Trajectory two_bodies(int rank, int frames) {
  Trajectory trajectory{.bodies = 2, .rank = rank};
  for (int frame = 0; frame < frames; ++frame) trajectory.time.push_back(0.01 * frame);
  trajectory.q = random_numbers(static_cast<std::size_t>(frames * 2 * rank), 3);
  trajectory.status = {BodyStatus::ok, BodyStatus::ok};
  return trajectory;
}

/// The mesh vertices that the boundary's triangles have, in the mesh's order.
inline std::vector<std::int32_t> surface_vertices(const ReducedModel& model) {
  const auto triangles = boundary_triangles(model.mesh);
  const std::set<std::int32_t> vertices(triangles.begin(), triangles.end());
  return {vertices.begin(), vertices.end()};
}

/// The boundary's triangles as indices into these.
inline std::vector<std::int32_t> surface_triangles(const ReducedModel& model) {
  const auto vertices = surface_vertices(model);
  auto triangles = boundary_triangles(model.mesh);
  for (auto& v : triangles)
    v = static_cast<std::int32_t>(std::lower_bound(vertices.begin(), vertices.end(), v) - vertices.begin());
  return triangles;
}

/// Positions of the surface's vertices in double precision, and the sizes of what is summed for each number.
struct SurfacePositions {
  std::vector<double> positions, sizes;
};

/// Of body 0; frame -1 is rest.
inline SurfacePositions surface_positions(const ReducedModel& model, const Trajectory& trajectory, int frame) {
  SurfacePositions result;
  for (const std::int32_t v : surface_vertices(model))
    for (int c = 0; c < 3; ++c) {
      const std::int64_t row = 3 * std::int64_t{v} + c;
      double position = model.mesh.vertices[static_cast<std::size_t>(row)], size = std::abs(position);
      for (std::int64_t j = 0; frame >= 0 && j < trajectory.rank; ++j) {
        const double part = model.basis(row, j) *
                            trajectory.q[static_cast<std::size_t>(frame * trajectory.bodies * trajectory.rank + j)];
        position += part;
        size += std::abs(part);
      }
      result.positions.push_back(position);
      result.sizes.push_back(size);
    }
  return result;
}

/// Expects single-precision positions to be those of the frame, rounded once.
inline void expect_rounded_once(const std::vector<float>& found, const SurfacePositions& exact) {
  ASSERT_EQ(found.size(), exact.positions.size());
  for (std::size_t i = 0; i < found.size(); ++i)  // half a unit in the last place, and the sum's own in double
    EXPECT_NEAR(found[i], exact.positions[i], 0x1p-24 * std::abs(exact.positions[i]) + 1e-14 * exact.sizes[i]) << i;
}

}  // namespace quartic::test
