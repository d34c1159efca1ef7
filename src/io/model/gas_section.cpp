// The gases in the chambers of each body of a checkpoint; the pressures are there, too, and tell which chambers.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "io/model/checkpoint_sections.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"gas", "atmosphere"};

template <class T>
bool is_present(const Checkpoint<T>& checkpoint) {
  return !checkpoint.gas.empty();
}

template <class T>
void check(const Checkpoint<T>& checkpoint) {
  const auto is_sound = [](double value) { return value >= 0 && std::isfinite(value); };
  if (!std::ranges::all_of(checkpoint.gas, is_sound) || !std::ranges::all_of(checkpoint.atmosphere, is_sound))
    throw InputError("amounts of gas and the atmosphere must be finite and >= 0");
}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  draft.add("gas", {checkpoint.chambers, checkpoint.bodies}, checkpoint.gas);
  draft.add("atmosphere", {1}, checkpoint.atmosphere);
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  checkpoint.gas = file.values<double>("gas", 2);
  file.require_size("gas", 0, checkpoint.chambers);
  file.require_size("gas", 1, checkpoint.bodies);
  checkpoint.atmosphere = file.values<double>("atmosphere", 1);
  file.require_size("atmosphere", 0, 1);
}

}  // namespace

template <class T>
const CheckpointSection<T>& gas_section() {
  static constexpr CheckpointSection<T> section = {.name = "gas",
                                                   .is_required = true,
                                                   .tensors = tensors,
                                                   .key_tensor = "gas",
                                                   .is_present = is_present<T>,
                                                   .check = check<T>,
                                                   .write = write<T>,
                                                   .read = read<T>};
  return section;
}

template const CheckpointSection<float>& gas_section<float>();
template const CheckpointSection<double>& gas_section<double>();

}  // namespace quartic::io
