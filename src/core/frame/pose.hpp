// Where a frame is in the world, or in another frame.
#pragma once

#include "core/frame/rotation.hpp"

namespace quartic::frame {

/// x in the frame is at `position` + R x outside. In arrays: x y z, quaternion x y z w.
template <class T>
struct Pose {
  Vector3<T> position;
  Quaternion<T> rotation;
};

/// Where a point of the frame is outside.
template <class T>
[[nodiscard]] QUARTIC_HD inline Vector3<T> apply(const Pose<T>& pose, const Vector3<T>& x) {
  return pose.position + rotate(pose.rotation, x);
}
/// The pose of a frame that has the pose `inner` in the frame `outer`.
template <class T>
[[nodiscard]] QUARTIC_HD inline Pose<T> operator*(const Pose<T>& outer, const Pose<T>& inner) {
  return {apply(outer, inner.position), outer.rotation * inner.rotation};
}
/// The pose of the outside in the frame.
template <class T>
[[nodiscard]] QUARTIC_HD inline Pose<T> inverse(const Pose<T>& pose) {
  const Quaternion<T> back = conjugate(pose.rotation);
  return {T{-1} * rotate(back, pose.position), back};
}

}  // namespace quartic::frame
