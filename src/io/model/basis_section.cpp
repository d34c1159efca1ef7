// The basis U, and what uniform accelerations are in it.
#include <string>

#include "core/energy/quartic_polynomial.hpp"
#include "io/model/model_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"basis", "unit_acceleration"};

bool is_present(const ReducedModel& model) {
  return model.basis.cols > 0;
}

void check(const ReducedModel& model) {
  const auto r = model.basis.cols;
  require_fit(r >= 0 && r <= rank_limit && (r == 0 || model.basis.rows == 3 * model.mesh.vertex_count()),
              "basis must hold three numbers per vertex");
  require_fit(r == 0 || (model.unit_acceleration.rows == r && model.unit_acceleration.cols == 3),
              "unit_acceleration must have three numbers per basis vector");
}

void write(const ReducedModel& model, FileDraft& draft) {
  const auto r = model.basis.cols;
  draft.add("basis", {r, model.mesh.vertex_count(), 3}, model.basis.values);
  draft.add("unit_acceleration", {3, r}, model.unit_acceleration.values);
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  model.basis = read_fields(file, "basis", model);
  const auto r = model.basis.cols;
  if (r < 1 || r > rank_limit) file.fail("the basis has " + std::to_string(r) + " vectors");
  model.unit_acceleration.values = file.values<double>("unit_acceleration", 2);
  file.require_size("unit_acceleration", 0, 3);
  file.require_size("unit_acceleration", 1, r);
  model.unit_acceleration.rows = r;
  model.unit_acceleration.cols = 3;
}

}  // namespace

const ModelSection basis_section = {.name = "basis",
                                    .tensors = tensors,
                                    .key_tensor = "basis",
                                    .is_present = is_present,
                                    .check = check,
                                    .write = write,
                                    .read = read};

}  // namespace quartic::io
