#include "view/session/motion_frame.hpp"

#include <algorithm>

#include "quartic/statics.hpp"

namespace quartic::view {

Frame motion_frame(const Trajectory& motion, std::int64_t number) {
  const auto size = static_cast<std::size_t>(motion.bodies * motion.rank);
  const auto at = static_cast<std::size_t>(number);
  Frame frame{.time = motion.time[at], .steps = number};
  frame.diverged = std::count(motion.status.begin(), motion.status.end(), BodyStatus::diverged);
  frame.q.resize(size);
  std::transform(motion.q.begin() + static_cast<std::ptrdiff_t>(at * size),
                 motion.q.begin() + static_cast<std::ptrdiff_t>((at + 1) * size), frame.q.begin(),
                 [](double x) { return static_cast<float>(x); });
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
