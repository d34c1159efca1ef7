// Flags of the bodies of a trajectory at its end.
#include <algorithm>
#include <vector>

#include "io/model/trajectory_sections.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"flags"};

bool is_present(const Trajectory& trajectory) {
  return std::any_of(trajectory.flags.begin(), trajectory.flags.end(),
                     [](BodyFlags flags) { return flags != BodyFlags::none; });
}

void check(const Trajectory& trajectory) {
  if (!trajectory.flags.empty() && std::ssize(trajectory.flags) != trajectory.bodies)
    throw InputError("the trajectory's flags must have one entry per body, or none");
}

void write(const Trajectory& trajectory, FileDraft& draft) {
  std::vector<std::int32_t> flags;
  for (const BodyFlags f : trajectory.flags) flags.push_back(static_cast<std::int32_t>(f));
  draft.add_computed("flags", {trajectory.bodies}, std::move(flags));
}

void read(const SafetensorsFile& file, Trajectory& trajectory) {
  for (const auto flags : file.values<std::int32_t>("flags", 1))
    trajectory.flags.push_back(static_cast<BodyFlags>(flags));
}

void cut_to_body(const Trajectory& whole, std::int64_t body, Trajectory& part) {
  if (!whole.flags.empty()) part.flags = {whole.flags[static_cast<std::size_t>(body)]};
}

}  // namespace

const TrajectorySection flags_section = {.name = "flags",
                                         .tensors = tensors,
                                         .key_tensor = "flags",
                                         .is_present = is_present,
                                         .check = check,
                                         .write = write,
                                         .read = read,
                                         .cut_to_body = cut_to_body};

}  // namespace quartic::io
