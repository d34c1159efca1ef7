#include "quartic/pose_track.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/contact/body_frame.hpp"
#include "core/frame/rotation.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void require_pose(const PoseTrack& track, std::size_t n) {
  if (!is_pose(track.poses[n]))
    throw InputError("pose " + std::to_string(n) + " of a track isn't finite, or its quaternion is zero");
}

}  // namespace

std::array<double, 7> pose_at(const PoseTrack& track, double time) {
  if (track.times.empty() || track.times.size() != track.poses.size())
    throw InputError("a track has a pose for each of its times, and at least one");
  const auto after = std::upper_bound(track.times.begin(), track.times.end(), time);
  const auto next = static_cast<std::size_t>(after - track.times.begin());
  const std::size_t first = next == 0 ? 0 : next - 1, second = std::min(next, track.times.size() - 1);
  require_pose(track, first);
  if (first == second || next == 0) return track.poses[first];
  require_pose(track, second);
  const double begin = track.times[first], length = track.times[second] - begin;
  if (!(length > 0)) throw InputError("the times of a track must ascend");
  const double share = (time - begin) / length;
  const ContactPose from = pose_of(track.poses[first]), to = pose_of(track.poses[second]);
  const ContactPoint x = from.position + share * (to.position - from.position);
  const auto turn = frame::rotation_exp(share * frame::rotation_log(to.rotation * conjugate(from.rotation)));
  const auto rotation = frame::normalised(turn * from.rotation);
  return {x.x, x.y, x.z, rotation.vector.x, rotation.vector.y, rotation.vector.z, rotation.w};
}

}  // namespace quartic
