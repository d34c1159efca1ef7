// The pressure in the chambers of each body of a checkpoint. There is no tensor where all are 0, and no gas is there.
#include <algorithm>
#include <string_view>
#include <vector>

#include "core/batch/batch_checks.hpp"
#include "io/model/checkpoint_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"pressure", "chambers_fingerprint"};

template <class T>
bool is_present(const Checkpoint<T>& checkpoint) {
  return !checkpoint.gas.empty() ||
         std::ranges::any_of(checkpoint.pressure, [](T pressure) { return pressure != T{0}; });
}

template <class T>
void check(const Checkpoint<T>& checkpoint) {
  const auto bodies = static_cast<std::size_t>(checkpoint.bodies);
  for (std::size_t first = 0; first < checkpoint.pressure.size(); first += bodies) {
    const auto begin = checkpoint.pressure.begin() + static_cast<std::ptrdiff_t>(first);
    check_pressure<T>(std::vector<double>(begin, begin + checkpoint.bodies), checkpoint.bodies);
  }
}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  draft.add("pressure", {checkpoint.chambers, checkpoint.bodies}, checkpoint.pressure);
  draft.add("chambers_fingerprint", {std::ssize(checkpoint.groups.chambers_fingerprint)},
            checkpoint.groups.chambers_fingerprint);
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  checkpoint.pressure = file.values<T>("pressure", 2);
  file.require_size("pressure", 0, checkpoint.chambers);
  file.require_size("pressure", 1, checkpoint.bodies);
  checkpoint.groups.chambers_fingerprint = file.values<std::int64_t>("chambers_fingerprint", 1);
}

}  // namespace

template <class T>
const CheckpointSection<T>& pressure_section() {
  static constexpr CheckpointSection<T> section = {.name = "pressure",
                                                   .is_required = true,
                                                   .tensors = tensors,
                                                   .key_tensor = "pressure",
                                                   .is_present = is_present<T>,
                                                   .check = check<T>,
                                                   .write = write<T>,
                                                   .read = read<T>};
  return section;
}

template const CheckpointSection<float>& pressure_section<float>();
template const CheckpointSection<double>& pressure_section<double>();

}  // namespace quartic::io
