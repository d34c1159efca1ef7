#include "view/session/motion_frame.hpp"

#include <algorithm>

#include "quartic/error.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/statics.hpp"

namespace quartic::view {

MotionFrames::MotionFrames(const ReducedModel& model, const ViewSurface& surface, const Trajectory& motion)
    : surface_(surface), motion_(motion) {
  if (!motion.flies()) return;
  if (!model.supports().empty())
    throw InputError("the trajectory's bodies fly, but the model is held: it is another model's motion");
  centre_ = Eigen::Vector3d::Map(frame_moments(model).origin.data());
}

Frame MotionFrames::at(std::int64_t number) const {
  const auto size = static_cast<std::size_t>(motion_.bodies * motion_.rank);
  const auto at = static_cast<std::size_t>(number);
  Frame frame{.time = motion_.time[at], .steps = number};
  frame.diverged = std::count(motion_.status.begin(), motion_.status.end(), BodyStatus::diverged);
  frame.q.resize(size);
  std::transform(motion_.q.begin() + static_cast<std::ptrdiff_t>(at * size),
                 motion_.q.begin() + static_cast<std::ptrdiff_t>((at + 1) * size), frame.q.begin(),
                 [](double x) { return static_cast<float>(x); });
  if (!motion_.flies()) return frame;
  for (std::int64_t body = 0; body < motion_.bodies; ++body) {
    const double* x = motion_.pose.data() + (number * motion_.bodies + body) * pose_size;
    const Eigen::Isometry3d pose =
        Eigen::Translation3d(x[0], x[1], x[2]) * Eigen::Quaterniond(x[6], x[3], x[4], x[5]).normalized();
    frame.poses.push_back(surface_pose(surface_, pose, centre_));
  }
  return frame;
}

std::int64_t most_inverted_elements(const ReducedModel& model, const Frame& frame) {
  std::int64_t most = 0;
  for (const std::int64_t body : frame.outside) {
    const Eigen::VectorXd u =
        model.basis.map() * Eigen::VectorXf::Map(frame.q.data() + body * model.rank(), model.rank()).cast<double>();
    if (!u.allFinite()) continue;  // of a state just short of diverging: nothing is left to count
    most = std::max(most, inverted_elements(model.mesh, {u.data(), static_cast<std::size_t>(u.size())}));
  }
  return most;
}

}  // namespace quartic::view
