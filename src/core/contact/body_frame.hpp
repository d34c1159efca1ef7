// Bodies' points and spheres as a shape sees them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/contact/solids.hpp"
#include "core/frame/pose.hpp"
#include "quartic/contact.hpp"

namespace quartic {

using ContactPoint = frame::Vector3<double>;
using ContactPose = frame::Pose<double>;

[[nodiscard]] inline ContactPoint point_of(const double* x) {
  return {x[0], x[1], x[2]};
}
[[nodiscard]] inline std::array<double, 3> array_of(const ContactPoint& x) {
  return {x.x, x.y, x.z};
}

/// A pose, as the caller has it, whose quaternion is brought to unit length; not finite if that isn't possible.
[[nodiscard]] inline ContactPose pose_of(const std::array<double, 7>& pose) {
  return {point_of(pose.data()), frame::normalised(frame::Quaternion<double>{point_of(pose.data() + 3), pose[6]})};
}

/// Whether it can be brought there.
[[nodiscard]] inline bool is_pose(const std::array<double, 7>& pose) {
  const double square = pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6];
  return square > 0 && std::isfinite(square) &&
         std::all_of(pose.begin(), pose.end(), [](double x) { return std::isfinite(x); });
}

/// From the mesh's coordinates to the world, for one body.
template <class T>
[[nodiscard]] ContactPose body_pose(const BodyPlaces<T>& places, std::int64_t body) {
  if (places.pose.data == nullptr) return {};
  std::array<double, 7> pose;
  for (std::size_t row = 0; row < pose.size(); ++row)
    pose[row] = double{places.pose(static_cast<std::int64_t>(row), body)};
  const ContactPose own = pose_of(pose);
  return {own.position - rotate(own.rotation, point_of(places.origin.data())), own.rotation};
}

/// More than what round-off makes of a place and of its distance to a solid.
[[nodiscard]] inline double place_slack(const Shape::Solid& solid, const ContactPose& body, const ContactPose& shape,
                                        const ContactPoint& centre) {
  const double size = norm(body.position) + norm(shape.position) + norm(centre) + solid.reach();
  return 64 * std::numeric_limits<double>::epsilon() * size;
}

}  // namespace quartic
