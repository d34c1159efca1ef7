// Reduced coordinates over time, and what became of the bodies.
#include <string>
#include <vector>

#include "io/model/trajectory_sections.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"time", "q", "status"};

void check(const Trajectory& trajectory) {
  if (trajectory.bodies < 1 || trajectory.rank < 1)
    throw InputError("a trajectory needs at least one body and one reduced coordinate");
  std::int64_t numbers = trajectory.frames();
  if (__builtin_mul_overflow(numbers, trajectory.bodies, &numbers) ||
      __builtin_mul_overflow(numbers, trajectory.rank, &numbers) || numbers != std::ssize(trajectory.q))
    throw InputError("the trajectory's q must have frames x bodies x rank numbers");
  if (std::ssize(trajectory.status) != trajectory.bodies)
    throw InputError("the trajectory's status must have one entry per body");
}

void write(const Trajectory& trajectory, FileDraft& draft) {
  const auto frames = trajectory.frames();
  std::vector<std::int32_t> status;
  for (const BodyStatus s : trajectory.status) status.push_back(static_cast<std::int32_t>(s));
  draft.add("time", {frames}, trajectory.time);
  draft.add("q", {frames, trajectory.bodies, trajectory.rank}, trajectory.q);
  draft.add_computed("status", {trajectory.bodies}, std::move(status));
}

void read(const SafetensorsFile& file, Trajectory& trajectory) {
  trajectory.time = file.values<double>("time", 1);
  trajectory.q = file.values<double>("q", 3);
  trajectory.bodies = file.size("q", 1);
  trajectory.rank = file.size("q", 2);
  if (file.size("q", 0) != trajectory.frames())
    file.fail("'q' has " + std::to_string(file.size("q", 0)) + " frames, but 'time' has " +
              std::to_string(trajectory.frames()));
  for (const auto status : file.values<std::int32_t>("status", 1)) {
    if (status < 0 || status > static_cast<std::int32_t>(BodyStatus::diverged))
      file.fail("'status' has the unknown value " + std::to_string(status));
    trajectory.status.push_back(static_cast<BodyStatus>(status));
  }
}

void cut_to_body(const Trajectory& whole, std::int64_t body, Trajectory& part) {
  part.bodies = 1;
  part.rank = whole.rank;
  part.time = whole.time;
  part.status = {whole.status[static_cast<std::size_t>(body)]};
  part.q.reserve(static_cast<std::size_t>(whole.frames() * whole.rank));
  for (std::int64_t frame = 0; frame < whole.frames(); ++frame) {
    const auto first = whole.q.begin() + (frame * whole.bodies + body) * whole.rank;
    part.q.insert(part.q.end(), first, first + whole.rank);
  }
}

}  // namespace

const TrajectorySection motion_section = {
    .name = "motion", .tensors = tensors, .check = check, .write = write, .read = read, .cut_to_body = cut_to_body};

}  // namespace quartic::io
