#include "cli/reports/displacement_plot.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "cli/reports/plots.hpp"
#include "quartic/embedding.hpp"
#include "quartic/frame_moments.hpp"

namespace quartic::cli {

namespace {

/// Body 0's reduced coordinates in a frame.
StateView<const double> body_zero(const Trajectory& trajectory, std::int64_t frame) {
  return {trajectory.q.data() + frame * trajectory.bodies * trajectory.rank, trajectory.rank, 1, 1, trajectory.rank};
}

/// Of body 0 that flies: makes of a vertex's displacement u in body axes the one in the world.
class FlyingVertex {
 public:
  FlyingVertex(const ReducedModel& model, const Trajectory& trajectory, std::int32_t vertex)
      : trajectory_(trajectory),
        rest_(Eigen::Vector3d::Map(model.mesh.vertices.data() + Eigen::Index{3} * vertex)),
        centre_(Eigen::Vector3d::Map(frame_moments(model).origin.data())) {}

  void move(std::int64_t frame, std::span<double> displacement) const {
    const double* pose = trajectory_.pose.data() + frame * trajectory_.bodies * 7;
    const Eigen::Quaterniond rotation(pose[6], pose[3], pose[4], pose[5]);
    auto u = Eigen::Vector3d::Map(displacement.data());
    u = (Eigen::Vector3d::Map(pose) + rotation.normalized() * (rest_ - centre_ + u) - rest_).eval();
  }

 private:
  const Trajectory& trajectory_;
  Eigen::Vector3d rest_, centre_;
};

}  // namespace

std::int32_t most_displaced_vertex(const ReducedModel& model, const Trajectory& trajectory) {
  constexpr std::int64_t looks = 50;
  const std::int64_t stride = std::max<std::int64_t>(1, trajectory.frames() / looks);
  std::vector<double> u(static_cast<std::size_t>(3 * model.mesh.vertex_count()));
  double farthest = 0;
  std::int32_t vertex = 0;
  for (std::int64_t frame = trajectory.frames() - 1; frame >= 0; frame -= stride) {
    vertex_displacements<double>(model.basis.map(), body_zero(trajectory, frame), {}, u);
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
  const std::int32_t vertex = loads.empty() ? most_displaced_vertex(model, trajectory) : loads.front().vertex;
  Snapshots motion{.time = trajectory.time, .displacements = Matrix(3, trajectory.frames())};  // of this vertex alone
  for (std::int64_t frame = 0; frame < trajectory.frames(); ++frame)
    vertex_displacements<double>(model.basis.map(), body_zero(trajectory, frame), {&vertex, 1},
                                 motion.displacements.col(frame));
  if (trajectory.flies()) {
    const FlyingVertex flying(model, trajectory, vertex);
    for (std::int64_t frame = 0; frame < trajectory.frames(); ++frame)
      flying.move(frame, motion.displacements.col(frame));
  }
  const char* which = !loads.empty() ? "Loaded " : trajectory.flies() ? "Most deformed " : "Most displaced ";
  const std::string title = which + vertex_text(model.mesh, vertex);
  write_plot(displacement_plot(motion, 0, title), path);
}

}  // namespace quartic::cli
