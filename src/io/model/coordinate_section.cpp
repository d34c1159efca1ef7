// What the coordinates of a checkpoint's groups have beside their energies: constant dampings, and motions that are
// given. There is no tensor where no group has either.
#include <string_view>

#include "io/model/checkpoint_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"damping_fingerprint", "driven"};

template <class T>
bool is_present(const Checkpoint<T>& checkpoint) {
  return !checkpoint.groups.driven.empty();
}

// Only the batch that is to be restored can tell, see `load_checkpoint`.
template <class T>
void check(const Checkpoint<T>&) {}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  const GroupTable& groups = checkpoint.groups;
  draft.add("damping_fingerprint", {std::ssize(groups.damping_fingerprint)}, groups.damping_fingerprint);
  draft.add("driven", {std::ssize(groups.driven)}, groups.driven);
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  checkpoint.groups.damping_fingerprint = file.values<std::int64_t>("damping_fingerprint", 1);
  checkpoint.groups.driven = file.values<std::int32_t>("driven", 1);
}

}  // namespace

template <class T>
const CheckpointSection<T>& coordinate_section() {
  static constexpr CheckpointSection<T> section = {.name = "coordinates",
                                                   .is_required = true,
                                                   .tensors = tensors,
                                                   .key_tensor = "driven",
                                                   .is_present = is_present<T>,
                                                   .check = check<T>,
                                                   .write = write<T>,
                                                   .read = read<T>};
  return section;
}

template const CheckpointSection<float>& coordinate_section<float>();
template const CheckpointSection<double>& coordinate_section<double>();

}  // namespace quartic::io
