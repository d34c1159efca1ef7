#include "core/frame/recorded_poses.hpp"

#include <cmath>
#include <string>

#include "quartic/error.hpp"

namespace quartic {
namespace {

std::string place_of(std::int64_t row, std::int64_t bodies) {
  return "body " + std::to_string(row % bodies) + " in frame " + std::to_string(row / bodies);
}

// A row per body and frame, of finite numbers.
void require_rows(std::span<const double> values, std::int64_t frames, std::int64_t bodies, std::int64_t size,
                  const std::string& what) {
  if (std::ssize(values) != frames * bodies * size)
    throw InputError("the trajectory's " + what + " must have frames x bodies x " + std::to_string(size) +
                     " numbers, or none");
  for (std::int64_t i = 0; i < std::ssize(values); ++i)
    if (!std::isfinite(values[static_cast<std::size_t>(i)]))
      throw InputError("the " + what + " of " + place_of(i / size, bodies) + " has a number that isn't finite");
}

}  // namespace

void require_poses(std::span<const double> poses, std::int64_t frames, std::int64_t bodies) {
  require_rows(poses, frames, bodies, pose_size, "pose");
  constexpr double tolerance = 1e-5;  // bodies in single precision are a hundred times closer
  for (std::int64_t row = 0; row < frames * bodies; ++row) {
    const double* q = poses.data() + row * pose_size + 3;
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::abs(length - 1) <= tolerance))
      throw InputError("the quaternion of " + place_of(row, bodies) + " has the length " + std::to_string(length) +
                       " instead of 1");
  }
}

void require_twists(std::span<const double> twists, std::int64_t frames, std::int64_t bodies) {
  require_rows(twists, frames, bodies, twist_size, "twist");
}

frame::Pose<double> pose_at(const double* numbers) {
  return {{numbers[0], numbers[1], numbers[2]},
          normalised(frame::Quaternion<double>{{numbers[3], numbers[4], numbers[5]}, numbers[6]})};
}

std::vector<frame::Pose<double>> pose_path(std::span<const double> poses, std::int64_t bodies, std::int64_t body) {
  std::vector<frame::Pose<double>> path;
  for (std::int64_t at = body * pose_size; at < std::ssize(poses); at += bodies * pose_size) {
    frame::Pose<double> pose = pose_at(poses.data() + at);
    if (!path.empty()) {
      const frame::Quaternion<double>& before = path.back().rotation;
      if (dot(before.vector, pose.rotation.vector) + before.w * pose.rotation.w < 0)
        pose.rotation = {-1.0 * pose.rotation.vector, -pose.rotation.w};
    }
    path.push_back(pose);
  }
  return path;
}

}  // namespace quartic
