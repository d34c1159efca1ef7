// Colliders on their way.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/contact/body_frame.hpp"
#include "core/contact/moved_pose.hpp"
#include "core/frame/rotation.hpp"
#include "quartic/error.hpp"
#include "quartic/world.hpp"

namespace quartic {
namespace {

void put_pose(const ContactPose& pose, Collider& collider) {
  const auto &x = pose.position, &u = pose.rotation.vector;
  collider.pose = {x.x, x.y, x.z, u.x, u.y, u.z, pose.rotation.w};
}

}  // namespace

Collider moved(const Collider& collider, double time) {
  Collider result = collider;
  const ContactPose pose = pose_of(collider.pose);
  put_pose(moved_pose(pose, point_of(collider.twist.data()), point_of(collider.twist.data() + 3), time), result);
  return result;
}

Collider moving_to(const Collider& collider, const std::array<double, 7>& pose, double time) {
  if (!(time > 0) || !std::isfinite(time)) throw InputError("a collider needs a time above 0 to get to a pose");
  if (!is_pose(collider.pose) || !is_pose(pose))
    throw InputError(std::string("the pose that a collider ") + (is_pose(pose) ? "is at" : "is to get to") +
                     " isn't finite, or its quaternion is zero");
  Collider result = collider;
  const ContactPose from = pose_of(collider.pose), to = pose_of(pose);
  const ContactPoint velocity = (1 / time) * (to.position - from.position),
                     spin = (1 / time) * frame::rotation_log(to.rotation * conjugate(from.rotation));
  result.twist = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z};
  return result;
}

}  // namespace quartic
