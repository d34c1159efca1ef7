#include "cli/reports/displacement_plot.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "cli/reports/plots.hpp"
#include "quartic/embedding.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/warping.hpp"

namespace quartic::cli {

namespace {

/// Body 0's reduced coordinates in a frame.
StateView<const double> body_zero(const Trajectory& trajectory, std::int64_t frame) {
  return {trajectory.q.data() + frame * trajectory.bodies * trajectory.rank, trajectory.rank, 1, 1, trajectory.rank};
}

/// A vertex's displacements in the world, of body 0 that flies, shape (3, frames).
Matrix flown_displacements(const ReducedModel& model, const Trajectory& trajectory, std::int32_t vertex) {
  const FrameMoments frame = frame_moments(model);
  Matrix displacements(3, trajectory.frames());
  for (std::int64_t n = 0; n < trajectory.frames(); ++n) {
    const StateView<const double> pose = {trajectory.pose.data() + n * trajectory.bodies * pose_size, pose_size, 1, 1,
                                          pose_size};
    const std::span<double> moved = displacements.col(n);
    vertex_positions<double>(model.basis.map(), model.mesh.vertices, frame, body_zero(trajectory, n), pose,
                             {&vertex, 1}, moved);
    for (std::size_t axis = 0; axis < 3; ++axis)
      moved[axis] -= model.mesh.vertices[3 * static_cast<std::size_t>(vertex) + axis];
  }
  return displacements;
}

/// Of all vertices of body 0 in a frame, in its own axes, shape (3n).
void deform(const BodyShape& shape, const Trajectory& trajectory, std::int64_t frame, std::span<double> u) {
  const auto rank = static_cast<std::size_t>(trajectory.rank);
  shape.displacements({trajectory.q.data() + frame * trajectory.bodies * trajectory.rank, rank}, u);
}

/// A vertex's displacements where body 0 is warped, shape (3, frames).
Matrix warped_displacements(const ReducedModel& model, const Trajectory& trajectory, std::int32_t vertex) {
  const auto shape = body_shape(model, trajectory.warp);
  std::vector<double> u(model.mesh.vertices.size());
  Matrix displacements(3, trajectory.frames());
  for (std::int64_t n = 0; n < trajectory.frames(); ++n) {
    deform(*shape, trajectory, n, u);
    std::copy_n(u.begin() + 3 * std::ptrdiff_t{vertex}, 3, displacements.col(n).begin());
  }
  return displacements;
}

}  // namespace

std::int32_t most_displaced_vertex(const ReducedModel& model, const Trajectory& trajectory) {
  constexpr std::int64_t looks = 50;
  const std::int64_t stride = std::max<std::int64_t>(1, trajectory.frames() / looks);
  std::vector<double> u(static_cast<std::size_t>(3 * model.mesh.vertex_count()));
  const auto shape = body_shape(model, trajectory.warp);
  double farthest = 0;
  std::int32_t vertex = 0;
  for (std::int64_t frame = trajectory.frames() - 1; frame >= 0; frame -= stride) {
    deform(*shape, trajectory, frame, u);
    for (std::size_t v = 0; 3 * v < u.size(); ++v) {
      const double square = u[3 * v] * u[3 * v] + u[3 * v + 1] * u[3 * v + 1] + u[3 * v + 2] * u[3 * v + 2];
      if (square <= farthest) continue;
      farthest = square;
      vertex = static_cast<std::int32_t>(v);
    }
  }
  return vertex;
}

void write_displacement_plot(const ReducedModel& model, const Trajectory& trajectory, const std::vector<Load>& loads,
                             const std::filesystem::path& path) {
  const std::int32_t vertex = loads.empty() ? most_displaced_vertex(model, trajectory) : loads.front().vertex();
  Snapshots motion{.time = trajectory.time, .displacements = Matrix(3, trajectory.frames())};  // of this vertex alone
  if (trajectory.flies()) {
    motion.displacements = flown_displacements(model, trajectory, vertex);
  } else if (trajectory.warp != Warp::none) {
    motion.displacements = warped_displacements(model, trajectory, vertex);
  } else {
    for (std::int64_t frame = 0; frame < trajectory.frames(); ++frame)
      vertex_displacements<double>(model.basis.map(), body_zero(trajectory, frame), {&vertex, 1},
                                   motion.displacements.col(frame));
  }
  const char* which = !loads.empty() ? "Loaded " : trajectory.flies() ? "Most deformed " : "Most displaced ";
  const std::string title = which + vertex_text(model.mesh, vertex);
  write_plot(displacement_plot(motion, 0, title), path);
}

}  // namespace quartic::cli
