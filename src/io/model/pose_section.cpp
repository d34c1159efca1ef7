// Where the bodies of a trajectory are that move as a whole. A program that doesn't know poses would show them in the
// frame of their mass centre, at rest in the world, so that the file requires it. Twists may be missing beside poses.
#include <string>
#include <string_view>
#include <vector>

#include "core/frame/recorded_poses.hpp"
#include "io/model/trajectory_sections.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"pose", "twist"};

bool is_present(const Trajectory& trajectory) {
  return trajectory.flies();
}

void check(const Trajectory& trajectory) {
  if (!trajectory.flies() && !trajectory.twist.empty()) throw InputError("the trajectory has twists, but no poses");
  if (trajectory.flies()) require_poses(trajectory.pose, trajectory.frames(), trajectory.bodies);
  if (!trajectory.twist.empty()) require_twists(trajectory.twist, trajectory.frames(), trajectory.bodies);
}

void write(const Trajectory& trajectory, FileDraft& draft) {
  draft.add("pose", {trajectory.frames(), trajectory.bodies, pose_size}, trajectory.pose);
  if (!trajectory.twist.empty())
    draft.add("twist", {trajectory.frames(), trajectory.bodies, twist_size}, trajectory.twist);
}

std::vector<double> read_rows(const SafetensorsFile& file, const Trajectory& trajectory, const std::string& name,
                              std::int64_t size) {
  std::vector<double> values = file.values<double>(name, 3);
  file.require_size(name, 0, trajectory.frames());
  file.require_size(name, 1, trajectory.bodies);
  file.require_size(name, 2, size);
  return values;
}

void read(const SafetensorsFile& file, Trajectory& trajectory) {
  trajectory.pose = read_rows(file, trajectory, "pose", pose_size);
  if (file.find("twist") != nullptr) trajectory.twist = read_rows(file, trajectory, "twist", twist_size);
}

std::vector<double> rows_of_body(const Trajectory& whole, const std::vector<double>& values, std::int64_t size,
                                 std::int64_t body) {
  std::vector<double> part;
  for (std::int64_t at = body * size; at < std::ssize(values); at += whole.bodies * size)
    part.insert(part.end(), values.begin() + at, values.begin() + at + size);
  return part;
}

void cut_to_body(const Trajectory& whole, std::int64_t body, Trajectory& part) {
  part.pose = rows_of_body(whole, whole.pose, pose_size, body);
  part.twist = rows_of_body(whole, whole.twist, twist_size, body);
}

}  // namespace

const TrajectorySection pose_section = {.name = "pose",
                                        .is_required = true,
                                        .tensors = tensors,
                                        .key_tensor = "pose",
                                        .is_present = is_present,
                                        .check = check,
                                        .write = write,
                                        .read = read,
                                        .cut_to_body = cut_to_body};

}  // namespace quartic::io
