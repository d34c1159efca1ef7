// The basis U, and what uniform accelerations are in it.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/energy/quartic_polynomial.hpp"
#include "io/model/model_sections.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"basis", "unit_acceleration"};

bool is_present(const ReducedModel& model) {
  return model.basis.cols > 0;
}

// The part of a displacement along a direction of any length must be zero where supports hold it; supports between
// vertices are left aside.
bool is_held(const ReducedModel& model, const Eigen::RowVectorXd& sizes, std::int32_t vertex,
             const std::array<double, 3>& direction) {
  constexpr double rounding = 1e-6;
  if (vertex < 0 || vertex >= model.mesh.vertex_count()) return true;  // told elsewhere
  const double length = std::hypot(direction[0], direction[1], direction[2]);
  for (std::int64_t j = 0; j < model.basis.cols; ++j) {
    const auto field = model.basis.col(j);
    double part = 0;
    for (std::size_t c = 0; c < 3; ++c) part += direction[c] * field[3 * static_cast<std::size_t>(vertex) + c];
    if (std::abs(part) > rounding * length * sizes[j]) return false;
  }
  return true;
}

bool obeys_supports(const ReducedModel& model) {
  if (model.basis.cols == 0) return true;
  const Eigen::RowVectorXd sizes = model.basis.map().cwiseAbs().colwise().maxCoeff();
  const auto is_fixed = [&](std::int32_t v) {
    return is_held(model, sizes, v, {1, 0, 0}) && is_held(model, sizes, v, {0, 1, 0}) &&
           is_held(model, sizes, v, {0, 0, 1});
  };
  return std::ranges::all_of(model.fixed_vertices, is_fixed) &&
         std::ranges::all_of(model.constraints, [&](const Constraint& held) {
           return held.terms.size() != 1 || is_held(model, sizes, held.terms[0].vertex, held.terms[0].factors);
         });
}

void check(const ReducedModel& model) {
  const auto r = model.basis.cols;
  require_fit(r >= 0 && r <= rank_limit && (r == 0 || model.basis.rows == 3 * model.mesh.vertex_count()),
              "basis must hold three numbers per vertex");
  require_fit(r == 0 || (model.unit_acceleration.rows == r && model.unit_acceleration.cols == 3),
              "unit_acceleration must have three numbers per basis vector");
  require_fit(obeys_supports(model), "the basis moves what the supports hold");
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
