// Bodies that fly, and where their vertices are in the world, computed by other means than the exporters'.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "support/moving_surface.hpp"
#include "support/small_model.hpp"
#include "support/support.hpp"

namespace quartic::test {

inline constexpr std::array<double, 3> sample_mass_centre = {0.375, -0.25, 0.625};

/// The small model with a mass centre, which needn't be its true one, and nothing held.
inline ReducedModel flying_model(int rank) {
  ReducedModel model = small_model(rank);
  model.fixed_vertices.clear();
  model.rigid_modes = 6;
  model.frame_moments = FrameMoments{.mass = 2, .origin = sample_mass_centre};
  return model;
}

/// Random coordinates and poses, a frame every 0.01 s. Some frames have the quaternion with the other sign.
inline Trajectory flying_bodies(int rank, int frames, int bodies) {
  Trajectory trajectory{.bodies = bodies, .rank = rank};
  const int rows = frames * bodies;
  for (int frame = 0; frame < frames; ++frame) trajectory.time.push_back(0.01 * frame);
  trajectory.q = random_numbers(static_cast<std::size_t>(rows * rank), 3);
  trajectory.status.assign(static_cast<std::size_t>(bodies), BodyStatus::ok);
  const std::vector<double> random = random_numbers(static_cast<std::size_t>(rows * 7), 4);
  for (int row = 0; row < rows; ++row) {
    const double* numbers = random.data() + std::ptrdiff_t{7} * row;
    double length = 0;
    for (int c = 3; c < 7; ++c) length = std::hypot(length, numbers[c]);
    for (int c = 0; c < 7; ++c) trajectory.pose.push_back(c < 3 ? 3 * numbers[c] : numbers[c] / length);
  }
  trajectory.twist = random_numbers(static_cast<std::size_t>(rows * 6), 5);
  return trajectory;
}

inline const double* pose_of(const Trajectory& trajectory, int frame, int body) {
  return trajectory.pose.data() + 7 * (frame * trajectory.bodies + body);
}

/// R x, entry by entry of the matrix of the unit quaternion x y z w.
inline std::array<double, 3> turned(const double* quaternion, const std::array<double, 3>& v) {
  const double x = quaternion[0], y = quaternion[1], z = quaternion[2], w = quaternion[3];
  return {(w * w + x * x - y * y - z * z) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2],
          2 * (x * y + w * z) * v[0] + (w * w - x * x + y * y - z * z) * v[1] + 2 * (y * z - w * x) * v[2],
          2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (w * w - x * x - y * y + z * z) * v[2]};
}

/// U q of a vertex of the mesh, in body axes.
inline std::array<double, 3> deformation(const ReducedModel& model, const Trajectory& trajectory, int frame, int body,
                                         std::int32_t vertex) {
  std::array<double, 3> u{};
  for (std::size_t c = 0; c < 3; ++c)
    for (std::int64_t j = 0; j < trajectory.rank; ++j)
      u[c] += model.basis(3 * std::int64_t{vertex} + static_cast<std::int64_t>(c), j) *
              trajectory.q[static_cast<std::size_t>((frame * trajectory.bodies + body) * trajectory.rank + j)];
  return u;
}

/// c + R (X - mass centre + U q) of the surface's vertices, and the sizes of what is summed.
inline SurfacePositions world_positions(const ReducedModel& model, const Trajectory& trajectory, int frame, int body) {
  SurfacePositions result;
  const double* pose = pose_of(trajectory, frame, body);
  for (const std::int32_t v : surface_vertices(model)) {
    std::array<double, 3> about = deformation(model, trajectory, frame, body, v);
    double size = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      about[c] += model.mesh.vertices[3 * static_cast<std::size_t>(v) + c] - sample_mass_centre[c];
      size += std::abs(about[c]) + std::abs(pose[c]) + 3;
    }
    const auto from_centre = turned(pose + 3, about);
    for (std::size_t c = 0; c < 3; ++c) {
      result.positions.push_back(pose[c] + from_centre[c]);
      result.sizes.push_back(size);
    }
  }
  return result;
}

}  // namespace quartic::test
