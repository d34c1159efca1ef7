// Reduced coordinates over time, and what became of the bodies. Coordinates of linear modes are in a tensor of another
// name: a program that knows nothing of them refuses the file.
#include <string>
#include <vector>

#include "io/model/trajectory_sections.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"time", "q", "status"}, modal_tensors[] = {"modal_q"};

std::vector<std::int64_t> shape_of(const Trajectory& trajectory) {
  return {trajectory.frames(), trajectory.bodies, trajectory.rank};
}

bool is_modal(const Trajectory& trajectory) {
  return trajectory.coordinates == Coordinates::linear_modes;
}

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
  std::vector<std::int32_t> status;
  for (const BodyStatus s : trajectory.status) status.push_back(static_cast<std::int32_t>(s));
  draft.add("time", {trajectory.frames()}, trajectory.time);
  if (!is_modal(trajectory)) draft.add("q", shape_of(trajectory), trajectory.q);
  draft.add_computed("status", {trajectory.bodies}, std::move(status));
}

void read_coordinates(const SafetensorsFile& file, const char* name, Trajectory& trajectory) {
  trajectory.q = file.values<double>(name, 3);
  trajectory.bodies = file.size(name, 1);
  trajectory.rank = file.size(name, 2);
  if (file.size(name, 0) != trajectory.frames())
    file.fail("'" + std::string(name) + "' has " + std::to_string(file.size(name, 0)) + " frames, but 'time' has " +
              std::to_string(trajectory.frames()));
}

void read(const SafetensorsFile& file, Trajectory& trajectory) {
  trajectory.time = file.values<double>("time", 1);
  if (file.find("modal_q") == nullptr) read_coordinates(file, "q", trajectory);
  for (const auto status : file.values<std::int32_t>("status", 1)) {
    if (status < 0 || status > static_cast<std::int32_t>(BodyStatus::diverged))
      file.fail("'status' has the unknown value " + std::to_string(status));
    trajectory.status.push_back(static_cast<BodyStatus>(status));
  }
}

void cut_to_body(const Trajectory& whole, std::int64_t body, Trajectory& part) {
  part.bodies = 1;
  part.rank = whole.rank;
  part.coordinates = whole.coordinates;
  part.time = whole.time;
  part.status = {whole.status[static_cast<std::size_t>(body)]};
  part.q.reserve(static_cast<std::size_t>(whole.frames() * whole.rank));
  for (std::int64_t frame = 0; frame < whole.frames(); ++frame) {
    const auto first = whole.q.begin() + (frame * whole.bodies + body) * whole.rank;
    part.q.insert(part.q.end(), first, first + whole.rank);
  }
}

void write_modes(const Trajectory& trajectory, FileDraft& draft) {
  draft.add("modal_q", shape_of(trajectory), trajectory.q);
}

void read_modes(const SafetensorsFile& file, Trajectory& trajectory) {
  if (file.find("q") != nullptr) file.fail("there are both 'q' and 'modal_q'");
  read_coordinates(file, "modal_q", trajectory);
  trajectory.coordinates = Coordinates::linear_modes;
}

}  // namespace

const TrajectorySection motion_section = {
    .name = "motion", .tensors = tensors, .check = check, .write = write, .read = read, .cut_to_body = cut_to_body};

const TrajectorySection modal_section = {.name = "modal_q",
                                         .is_required = true,
                                         .tensors = modal_tensors,
                                         .key_tensor = "modal_q",
                                         .is_present = is_modal,
                                         .check = [](const Trajectory&) {},
                                         .write = write_modes,
                                         .read = read_modes,
                                         .cut_to_body = [](const Trajectory&, std::int64_t, Trajectory&) {}};

}  // namespace quartic::io
