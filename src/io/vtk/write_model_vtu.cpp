// A model's linear modes and basis as point data of a .vtu file.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "core/base/number_text.hpp"
#include "io/vtk/vtu_file.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"

namespace quartic {
namespace {

/// "mode_07": numbers from 1, as wide as the last one, so that lists are in order.
std::string numbered(const std::string& name, std::int64_t number, std::int64_t count) {
  const std::size_t width = std::max<std::size_t>(2, std::to_string(count).size());
  const std::string digits = std::to_string(number + 1);
  return name + "_" + std::string(width - digits.size(), '0') + digits;
}

}  // namespace

void write_vtu(const ReducedModel& model, const std::filesystem::path& path) {
  if (std::ssize(model.eigenvalues) != model.linear_modes.cols)
    throw InputError("the model has " + std::to_string(model.eigenvalues.size()) + " eigenvalues, but " +
                     std::to_string(model.linear_modes.cols) + " linear modes");
  VolumeMesh mesh = model.mesh;
  mesh.vertex_sets["fixed"] = model.fixed_vertices;
  std::vector<NamedField> fields;
  io::FieldData frequencies{"frequencies", {}};
  for (std::int64_t j = 0; j < model.linear_modes.cols; ++j) {
    const double eigenvalue = model.eigenvalues[static_cast<std::size_t>(j)];
    const double frequency = std::sqrt(std::max(eigenvalue, 0.0)) / (2 * std::numbers::pi);
    frequencies.values.push_back(frequency);
    fields.push_back({numbered("mode", j, model.linear_modes.cols) + " (" + number_text(frequency, 6) + " Hz)",
                      model.linear_modes.col(j)});
  }
  for (std::int64_t j = 0; j < model.basis.cols; ++j)
    fields.push_back({numbered("basis", j, model.basis.cols), model.basis.col(j)});
  io::write_vtu_file(mesh, path, fields, {&frequencies, frequencies.values.empty() ? 0U : 1U});
}

}  // namespace quartic
