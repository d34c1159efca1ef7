// Flags of bodies: at the end of a trajectory, and in a checkpoint. There is no tensor where none is set.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/batch/batch_checks.hpp"
#include "io/model/checkpoint_sections.hpp"
#include "io/model/trajectory_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"flags"};

template <class Object>
bool is_present(const Object& object) {
  return std::any_of(object.flags.begin(), object.flags.end(),
                     [](BodyFlags flags) { return flags != BodyFlags::none; });
}

template <class Object>
void check(const Object& object) {
  if (!object.flags.empty()) check_flags(object.flags, object.bodies);
}

template <class Object>
void write(const Object& object, FileDraft& draft) {
  std::vector<std::int32_t> flags;
  for (const BodyFlags f : object.flags) flags.push_back(static_cast<std::int32_t>(f));
  draft.add_computed("flags", {object.bodies}, std::move(flags));
}

template <class Object>
void read(const SafetensorsFile& file, Object& object) {
  for (const auto flags : file.values<std::int32_t>("flags", 1)) object.flags.push_back(static_cast<BodyFlags>(flags));
}

void cut_to_body(const Trajectory& whole, std::int64_t body, Trajectory& part) {
  if (!whole.flags.empty()) part.flags = {whole.flags[static_cast<std::size_t>(body)]};
}

}  // namespace

const TrajectorySection flags_section = {.name = "flags",
                                         .tensors = tensors,
                                         .key_tensor = "flags",
                                         .is_present = is_present<Trajectory>,
                                         .check = check<Trajectory>,
                                         .write = write<Trajectory>,
                                         .read = read<Trajectory>,
                                         .cut_to_body = cut_to_body};

template <class T>
const CheckpointSection<T>& checkpoint_flags_section() {
  static constexpr CheckpointSection<T> section = {.name = "flags",
                                                   .tensors = tensors,
                                                   .key_tensor = "flags",
                                                   .is_present = is_present<Checkpoint<T>>,
                                                   .check = check<Checkpoint<T>>,
                                                   .write = write<Checkpoint<T>>,
                                                   .read = read<Checkpoint<T>>};
  return section;
}

template const CheckpointSection<float>& checkpoint_flags_section<float>();
template const CheckpointSection<double>& checkpoint_flags_section<double>();

}  // namespace quartic::io
