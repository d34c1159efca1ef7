// What the stiffness of each body of a checkpoint is multiplied with. There is no tensor where all are 1.
#include <algorithm>
#include <string_view>
#include <vector>

#include "core/batch/batch_checks.hpp"
#include "io/model/checkpoint_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"stiffness_scale"};

template <class T>
bool is_present(const Checkpoint<T>& checkpoint) {
  return std::ranges::any_of(checkpoint.stiffness_scale, [](T scale) { return scale != T{1}; });
}

template <class T>
void check(const Checkpoint<T>& checkpoint) {
  const std::vector<T>& scale = checkpoint.stiffness_scale;
  if (!scale.empty()) check_stiffness_scale<T>(std::vector<double>(scale.begin(), scale.end()), checkpoint.bodies);
}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  draft.add("stiffness_scale", {checkpoint.bodies}, checkpoint.stiffness_scale);
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  checkpoint.stiffness_scale = file.values<T>("stiffness_scale", 1);
  file.require_size("stiffness_scale", 0, checkpoint.bodies);
}

}  // namespace

template <class T>
const CheckpointSection<T>& stiffness_section() {
  static constexpr CheckpointSection<T> section = {.name = "stiffness_scale",
                                                   .is_required = true,
                                                   .tensors = tensors,
                                                   .key_tensor = "stiffness_scale",
                                                   .is_present = is_present<T>,
                                                   .check = check<T>,
                                                   .write = write<T>,
                                                   .read = read<T>};
  return section;
}

template const CheckpointSection<float>& stiffness_section<float>();
template const CheckpointSection<double>& stiffness_section<double>();

}  // namespace quartic::io
