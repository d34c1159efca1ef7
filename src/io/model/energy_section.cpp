// The quartic energy.
#include <string>

#include "core/energy/quartic_polynomial.hpp"
#include "io/model/model_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"energy"};

bool is_present(const ReducedModel& model) {
  return model.basis.cols > 0 && !model.cubature;
}

void check(const ReducedModel& model) {
  const auto r = model.cubature ? 0 : model.basis.cols;
  require_fit(model.energy.rank == r,
              "energy is of rank " + std::to_string(model.energy.rank) + ", but basis of " + std::to_string(r));
  const auto coefficients = r == 0 ? 0 : quartic_coefficient_count(r);
  require_fit(std::ssize(model.energy.coefficients) == coefficients,
              "energy must have " + std::to_string(coefficients) + " coefficients");
}

void write(const ReducedModel& model, FileDraft& draft) {
  draft.add("energy", {std::ssize(model.energy.coefficients)}, model.energy.coefficients);
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  if (file.find("energy") == nullptr && file.find("cubature_weights") != nullptr) return;
  const auto r = model.basis.cols;
  model.energy = {static_cast<int>(r), file.values<double>("energy", 1)};
  file.require_size("energy", 0, quartic_coefficient_count(r));
}

}  // namespace

const ModelSection energy_section = {.name = "energy",
                                     .tensors = tensors,
                                     .key_tensor = "basis",
                                     .is_present = is_present,
                                     .check = check,
                                     .write = write,
                                     .read = read};

}  // namespace quartic::io
