// The embedded surface, and its basis for engines that don't want to compute it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/embedding/mode_scales.hpp"
#include "core/surface/embedding_check.hpp"
#include "io/model/model_sections.hpp"
#include "io/text/half.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"surface_vertices", "surface_triangles", "surface_volume_vertices",
                                        "surface_weights",  "surface_basis",     "surface_basis_scale"};

bool is_present(const ReducedModel& model) {
  return model.surface.has_value();
}

void check(const ReducedModel& model) {
  if (model.surface) require_sound_embedding(*model.surface, model.mesh.vertex_count());
  require_fit(model.surface_basis == SurfaceBasis::none || (model.surface && model.basis.cols > 0),
              "a surface_basis needs a surface and a basis");
}

template <class Number, class Round>
std::vector<Number> scaled(const Matrix& basis, const std::vector<float>& scales, const Round& round) {
  std::vector<Number> values(basis.values.size());
  for (std::int64_t i = 0; i < basis.cols; ++i)
    for (std::int64_t row = 0; row < basis.rows; ++row)
      values[static_cast<std::size_t>(i * basis.rows + row)] =
          round(basis(row, i) / double{scales[static_cast<std::size_t>(i)]});
  return values;
}

void require_shape(const SafetensorsFile& file, const std::string& name, const std::vector<std::int64_t>& shape) {
  for (std::size_t d = 0; d < shape.size(); ++d) file.require_size(name, d, shape[d]);
}

// The values aren't kept: they follow from the weights and the basis. What an engine would trip over is refused.
void check_surface_basis(const SafetensorsFile& file, ReducedModel& model) {
  const SafetensorsFile::Tensor& tensor = *file.find("surface_basis");
  const std::vector<std::int64_t> shape = {model.basis.cols, model.surface->vertex_count(), 3};
  if (model.basis.cols == 0) file.fail("there is 'surface_basis', but no 'basis'");
  if (tensor.dtype == "F16") {
    for (const Half value : file.stored_values<Half>("surface_basis", 3))
      if (!std::isfinite(from_half(value))) file.fail("tensor 'surface_basis' has a value that isn't a finite number");
    model.surface_basis = SurfaceBasis::half;
  } else {
    static_cast<void>(file.values<float>("surface_basis", 3));
    model.surface_basis = SurfaceBasis::single;
  }
  require_shape(file, "surface_basis", shape);
  const auto scales = file.values<float>("surface_basis_scale", 1);
  require_shape(file, "surface_basis_scale", {model.basis.cols});
  int exponent = 0;
  for (const float scale : scales)
    if (!(scale > 0) || std::frexp(scale, &exponent) != 0.5F)
      file.fail("tensor 'surface_basis_scale' has a value that isn't a power of two");
}

void write(const ReducedModel& model, FileDraft& draft) {
  const SurfaceEmbedding& surface = *model.surface;
  const auto s = surface.vertex_count();
  draft.add("surface_vertices", {s, 3}, surface.vertices);
  draft.add("surface_triangles", {surface.triangle_count(), 3}, surface.triangles);
  draft.add("surface_volume_vertices", {s, surface.width}, surface.volume_vertices);
  draft.add("surface_weights", {s, surface.width}, surface.weights);
  if (model.surface_basis == SurfaceBasis::none) return;
  const Matrix basis = surface_basis(surface, model.basis.map());
  const std::vector<float> scales = mode_scales(basis.map());
  const std::vector<std::int64_t> shape = {basis.cols, s, 3};
  if (model.surface_basis == SurfaceBasis::half)
    draft.add_computed("surface_basis", shape, scaled<Half>(basis, scales, to_half));
  else
    draft.add_computed("surface_basis", shape,
                       scaled<float>(basis, scales, [](double value) { return static_cast<float>(value); }));
  draft.add_computed("surface_basis_scale", {basis.cols}, scales);
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  SurfaceEmbedding& surface = model.surface.emplace();
  surface.vertices = file.values<double>("surface_vertices", 2);
  require_shape(file, "surface_vertices", {file.size("surface_vertices", 0), 3});
  const auto s = surface.vertex_count();
  surface.triangles = file.values<std::int32_t>("surface_triangles", 2);
  require_shape(file, "surface_triangles", {surface.triangle_count(), 3});
  surface.volume_vertices = file.values<std::int32_t>("surface_volume_vertices", 2);
  const std::int64_t width = file.size("surface_volume_vertices", 1);
  require_shape(file, "surface_volume_vertices", {s, width});
  surface.weights = file.values<double>("surface_weights", 2);
  require_shape(file, "surface_weights", {s, width});
  surface.width = static_cast<std::int32_t>(std::min<std::int64_t>(width, INT32_MAX));  // refused where it is too large
  if (file.find("surface_basis") != nullptr)
    check_surface_basis(file, model);
  else if (file.find("surface_basis_scale") != nullptr)
    file.fail("there is 'surface_basis_scale', but no 'surface_basis'");
}

}  // namespace

const ModelSection surface_section = {.name = "surface",
                                      .tensors = tensors,
                                      .key_tensor = "surface_vertices",
                                      .is_present = is_present,
                                      .check = check,
                                      .write = write,
                                      .read = read};

}  // namespace quartic::io
