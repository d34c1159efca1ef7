// Damping by strain rates of each body of a checkpoint, and by which forms. There is no tensor where no body has any.
#include <string_view>
#include <vector>

#include "core/batch/batch_checks.hpp"
#include "io/model/checkpoint_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"strain_damping", "strain_damping_fingerprint"};

template <class T>
bool is_present(const Checkpoint<T>& checkpoint) {
  return !checkpoint.strain_damping.empty();
}

// Whose forms they are, only the batch that is to be restored can tell, see `load_checkpoint`.
template <class T>
void check(const Checkpoint<T>& checkpoint) {
  const std::vector<T>& time = checkpoint.strain_damping;
  if (!time.empty())
    check_damping<T>(std::vector<double>(time.begin(), time.end()), "strain_damping", checkpoint.bodies);
}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  const std::vector<std::int64_t>& forms = checkpoint.groups.strain_damping_fingerprint;
  draft.add("strain_damping", {checkpoint.bodies}, checkpoint.strain_damping);
  draft.add("strain_damping_fingerprint", {std::ssize(forms)}, forms);
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  checkpoint.strain_damping = file.values<T>("strain_damping", 1);
  file.require_size("strain_damping", 0, checkpoint.bodies);
  checkpoint.groups.strain_damping_fingerprint = file.values<std::int64_t>("strain_damping_fingerprint", 1);
}

}  // namespace

template <class T>
const CheckpointSection<T>& strain_damping_section() {
  static constexpr CheckpointSection<T> section = {.name = "strain_damping",
                                                   .is_required = true,
                                                   .tensors = tensors,
                                                   .key_tensor = "strain_damping",
                                                   .is_present = is_present<T>,
                                                   .check = check<T>,
                                                   .write = write<T>,
                                                   .read = read<T>};
  return section;
}

template const CheckpointSection<float>& strain_damping_section<float>();
template const CheckpointSection<double>& strain_damping_section<double>();

}  // namespace quartic::io
