// What a batch's bodies are given beside their forces: damping, and load curves over time.
#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/batch/batch_checks.hpp"
#include "io/model/checkpoint_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"rayleigh_mass", "rayleigh_stiffness", "curve_of_body",
                                        "curve_offsets", "curve_times",        "curve_scales"};

/// Load curves one behind the other.
struct CurveTable {
  std::vector<std::int64_t> offsets = {0};  // shape (curves + 1)
  std::vector<double> times, scales;
};

CurveTable concatenated(std::span<const LoadCurve> curves) {
  CurveTable table;
  for (const LoadCurve& curve : curves) {
    table.times.insert(table.times.end(), curve.times.begin(), curve.times.end());
    table.scales.insert(table.scales.end(), curve.scales.begin(), curve.scales.end());
    table.offsets.push_back(std::ssize(table.times));
  }
  return table;
}

std::vector<LoadCurve> read_curves(const SafetensorsFile& file) {
  const auto offsets = file.values<std::int64_t>("curve_offsets", 1);
  const auto times = file.values<double>("curve_times", 1), scales = file.values<double>("curve_scales", 1);
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != std::ssize(times) || times.size() != scales.size() ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    file.fail("'curve_offsets' doesn't fit 'curve_times' and 'curve_scales'");
  std::vector<LoadCurve> curves;
  for (std::size_t c = 0; c + 1 < offsets.size(); ++c)
    curves.push_back({{times.begin() + offsets[c], times.begin() + offsets[c + 1]},
                      {scales.begin() + offsets[c], scales.begin() + offsets[c + 1]}});
  return curves;
}

template <class T>
void check(const Checkpoint<T>& checkpoint) {
  const auto& mass = checkpoint.rayleigh_mass;
  const auto& stiffness = checkpoint.rayleigh_stiffness;
  check_damping<T>(std::vector<double>(mass.begin(), mass.end()), "rayleigh_mass", checkpoint.bodies);
  check_damping<T>(std::vector<double>(stiffness.begin(), stiffness.end()), "rayleigh_stiffness", checkpoint.bodies);
  check_curves<T>(checkpoint.curves, checkpoint.curve_of_body, checkpoint.bodies);
}

template <class T>
void write(const Checkpoint<T>& checkpoint, FileDraft& draft) {
  draft.add("rayleigh_mass", {checkpoint.bodies}, checkpoint.rayleigh_mass);
  draft.add("rayleigh_stiffness", {checkpoint.bodies}, checkpoint.rayleigh_stiffness);
  draft.add("curve_of_body", {std::ssize(checkpoint.curve_of_body)}, checkpoint.curve_of_body);
  CurveTable curves = concatenated(checkpoint.curves);
  const auto count = std::ssize(curves.offsets), points = std::ssize(curves.times);
  draft.add_computed("curve_offsets", {count}, std::move(curves.offsets));
  draft.add_computed("curve_times", {points}, std::move(curves.times));
  draft.add_computed("curve_scales", {points}, std::move(curves.scales));
}

template <class T>
void read(const SafetensorsFile& file, Checkpoint<T>& checkpoint) {
  checkpoint.rayleigh_mass = file.values<T>("rayleigh_mass", 1);
  checkpoint.rayleigh_stiffness = file.values<T>("rayleigh_stiffness", 1);
  checkpoint.curves = read_curves(file);
  checkpoint.curve_of_body = file.values<std::int32_t>("curve_of_body", 1);
}

}  // namespace

template <class T>
const CheckpointSection<T>& load_section() {
  static constexpr CheckpointSection<T> section = {
      .name = "loads", .tensors = tensors, .check = check<T>, .write = write<T>, .read = read<T>};
  return section;
}

template const CheckpointSection<float>& load_section<float>();
template const CheckpointSection<double>& load_section<double>();

}  // namespace quartic::io
