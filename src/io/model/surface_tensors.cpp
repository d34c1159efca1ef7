#include "io/model/surface_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/embedding/mode_scales.hpp"

namespace quartic::io {
namespace {

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

}  // namespace

void append_surface_tensors(const ReducedModel& model, SurfaceBasisValues& values, std::vector<TensorView>& tensors) {
  if (!model.surface) return;
  const SurfaceEmbedding& surface = *model.surface;
  const auto s = surface.vertex_count();
  tensors.push_back(tensor_view("surface_vertices", {s, 3}, surface.vertices));
  tensors.push_back(tensor_view("surface_triangles", {surface.triangle_count(), 3}, surface.triangles));
  tensors.push_back(tensor_view("surface_volume_vertices", {s, surface.width}, surface.volume_vertices));
  tensors.push_back(tensor_view("surface_weights", {s, surface.width}, surface.weights));
  if (model.surface_basis == SurfaceBasis::none) return;
  const Matrix basis = surface_basis(surface, model.basis.map());
  values.scales = mode_scales(basis.map());
  const std::vector<std::int64_t> shape = {basis.cols, s, 3};
  if (model.surface_basis == SurfaceBasis::half) {
    values.half = scaled<Half>(basis, values.scales, to_half);
    tensors.push_back(tensor_view("surface_basis", shape, values.half));
  } else {
    values.single = scaled<float>(basis, values.scales, [](double value) { return static_cast<float>(value); });
    tensors.push_back(tensor_view("surface_basis", shape, values.single));
  }
  tensors.push_back(tensor_view("surface_basis_scale", {basis.cols}, values.scales));
}

void read_surface_tensors(const SafetensorsFile& file, ReducedModel& model) {
  if (file.find("surface_vertices") == nullptr) {
    for (const char* name :
         {"surface_triangles", "surface_volume_vertices", "surface_weights", "surface_basis", "surface_basis_scale"})
      if (file.find(name) != nullptr) file.fail(std::string("there is '") + name + "', but no 'surface_vertices'");
    return;
  }
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

}  // namespace quartic::io
