// Which groups and energies a checkpoint belongs to.
#include <string_view>

#include "io/model/checkpoint_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"group_bodies", "group_rank", "energy_fingerprint"};

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  const GroupTable& groups = checkpoint.groups;
  const auto count = std::ssize(groups.bodies);
  draft.add("group_bodies", {count}, groups.bodies);
  draft.add("group_rank", {count}, groups.rank);
  draft.add("energy_fingerprint", {count}, groups.fingerprint);
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  checkpoint.groups.bodies = file.values<std::int64_t>("group_bodies", 1);
  checkpoint.groups.rank = file.values<std::int32_t>("group_rank", 1);
  checkpoint.groups.fingerprint = file.values<std::int64_t>("energy_fingerprint", 1);
}

// Only the batch that is to be restored can tell, see `load_checkpoint`.
template <class T>
void check(const Checkpoint<T>&) {}

}  // namespace

template <class T>
const CheckpointSection<T>& group_section() {
  static constexpr CheckpointSection<T> section = {
      .name = "groups", .tensors = tensors, .check = check<T>, .write = write<T>, .read = read<T>};
  return section;
}

template const CheckpointSection<float>& group_section<float>();
template const CheckpointSection<double>& group_section<double>();

}  // namespace quartic::io
