#include "cli/runs/flying_loads.hpp"

#include <Eigen/Geometry>
#include <utility>

namespace quartic::cli {

namespace {

template <class T>
Eigen::Quaterniond rotation_of(const StateView<const T>& pose, std::int64_t body) {
  const auto at = [&](std::int64_t row) { return static_cast<double>(pose(row, body)); };
  return Eigen::Quaterniond(at(6), at(3), at(4), at(5)).normalized();
}

}  // namespace

FlyingLoads::FlyingLoads(const ReducedModel& model, const FrameMoments& frame, const Scene& scene)
    : scene_(scene), weight_(frame.mass * Eigen::Vector3d::Map(scene.gravity.data())) {
  require_vertices(scene, model.mesh.vertex_count());
  require_held_base(scene, model);
  for (std::size_t l = 0; l < scene.loads.size(); ++l)
    for (const PointForce& at : scene.loads[l].forces) {
      const Eigen::Index row = Eigen::Index{3} * at.vertex;
      places_.push_back(
          {l, Eigen::Vector3d::Map(at.force.data()),
           Eigen::Vector3d::Map(model.mesh.vertices.data() + row) - Eigen::Vector3d::Map(frame.origin.data()),
           model.basis.map().middleRows(row, 3)});
    }
}

template <class T>
void FlyingLoads::apply(Batch<T>& batch, double time, double step) const {
  const StateView<const T> q = std::as_const(batch).q(), pose = std::as_const(batch).pose();
  const StateView<T> force = batch.force(), wrench = batch.wrench();
  Eigen::VectorXd own(q.rank), reduced(q.rank);
  const double scale = scene_.scale(time, step);
  for (std::int64_t body = 0; body < q.bodies; ++body) {
    Eigen::Matrix<double, twist_size, 1> whole;
    whole << scale * weight_, Eigen::Vector3d::Zero();
    reduced.setZero();
    const Eigen::Matrix3d rotation = rotation_of(pose, body).toRotationMatrix();
    for (std::int64_t i = 0; i < q.rank; ++i) own[i] = static_cast<double>(q(i, body));
    for (const Place& at : places_) {
      if (!scene_.loads[at.load].acts(time, step)) continue;
      const Eigen::Vector3d f = scale * at.force;
      whole.head<3>() += f;
      whole.tail<3>() += (rotation * (at.place + at.rows * own)).cross(f);
      reduced += at.rows.transpose() * (rotation.transpose() * f);
    }
    for (std::int64_t i = 0; i < q.rank; ++i) force(i, body) = static_cast<T>(reduced[i]);
    for (std::int64_t i = 0; i < twist_size; ++i) wrench(i, body) = static_cast<T>(whole[i]);
  }
}

template void FlyingLoads::apply(Batch<float>&, double, double) const;
template void FlyingLoads::apply(Batch<double>&, double, double) const;

}  // namespace quartic::cli
