// Which moments of mass the free bodies of a checkpoint have. Their poses, twists and wrenches are blocks of the state,
// as q is; without a program that knows them the bodies would go on at rest in the world, so that the file requires it.
#include <string_view>

#include "io/model/checkpoint_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"moments_fingerprint"};

template <class T>
bool is_present(const Checkpoint<T>& checkpoint) {
  return !checkpoint.groups.moments_fingerprint.empty();
}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  const auto& fingerprints = checkpoint.groups.moments_fingerprint;
  draft.add("moments_fingerprint", {std::ssize(fingerprints)}, fingerprints);
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  checkpoint.groups.moments_fingerprint = file.values<std::int64_t>("moments_fingerprint", 1);
}

// Only the batch that is to be restored can tell, see `load_checkpoint`.
template <class T>
void check(const Checkpoint<T>&) {}

}  // namespace

template <class T>
const CheckpointSection<T>& frame_section() {
  static constexpr CheckpointSection<T> section = {.name = "frame",
                                                   .is_required = true,
                                                   .tensors = tensors,
                                                   .key_tensor = "moments_fingerprint",
                                                   .is_present = is_present<T>,
                                                   .check = check<T>,
                                                   .write = write<T>,
                                                   .read = read<T>};
  return section;
}

template const CheckpointSection<float>& frame_section<float>();
template const CheckpointSection<double>& frame_section<double>();

}  // namespace quartic::io
