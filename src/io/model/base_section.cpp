// Whose motion is prescribed: pose, twist and twist rate of a checkpoint's bodies on bases are its caller's. A program
// that doesn't know them would let the bodies fly, so that the file requires it.
#include <string_view>

#include "io/model/checkpoint_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"frame_motion"};

template <class T>
bool is_present(const Checkpoint<T>& checkpoint) {
  return !checkpoint.groups.frame_motion.empty();
}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  const auto& motions = checkpoint.groups.frame_motion;
  draft.add("frame_motion", {std::ssize(motions)}, motions);
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  checkpoint.groups.frame_motion = file.values<std::int32_t>("frame_motion", 1);
}

// Only the batch that is to be restored can tell, see `load_checkpoint`.
template <class T>
void check(const Checkpoint<T>&) {}

}  // namespace

template <class T>
const CheckpointSection<T>& base_section() {
  static constexpr CheckpointSection<T> section = {.name = "base",
                                                   .is_required = true,
                                                   .tensors = tensors,
                                                   .key_tensor = "frame_motion",
                                                   .is_present = is_present<T>,
                                                   .check = check<T>,
                                                   .write = write<T>,
                                                   .read = read<T>};
  return section;
}

template const CheckpointSection<float>& base_section<float>();
template const CheckpointSection<double>& base_section<double>();

}  // namespace quartic::io
