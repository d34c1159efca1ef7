// A thread per point, and for fields per point and four fields, which share the shape functions' gradients. Flops per
// point and field 18 per corner; read 24 bytes per corner of the field, mostly scattered, and a quarter of as many of
// gradients; written 72 bytes.
#include "core/elements/point_map.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/fem/quadrature_points.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 128;
constexpr int fields_at_once = 4;

__global__ void __launch_bounds__(threads) measure(const PointRange range, const PointGeometries geometries) {
  const int t = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (t >= range.pitch) return;
  const int corners = range.block.corners;
  const std::int64_t pitch = range.pitch;
  if (t >= range.count) {
    geometries.weight[t] = 0;
    for (int k = 0; k < 3 * corners; ++k) geometries.gradient[k * pitch + t] = 0;
    return;
  }
  const std::int32_t* vertices = range.block.vertices + range.element(t) * corners;
  const int p = range.point_of_rule(t);
  const double* reference = range.rule.gradients + 3 * std::int64_t{p} * corners;
  // Relative to the first vertex, so that a mesh far from the origin loses no digits.
  const double* origin = range.block.positions + 3 * std::int64_t{vertices[0]};
  double jacobian[3][3] = {};
  for (int a = 1; a < corners; ++a) {
    const double* x = range.block.positions + 3 * std::int64_t{vertices[a]};
#pragma unroll
    for (int c = 0; c < 3; ++c)
#pragma unroll
      for (int d = 0; d < 3; ++d) jacobian[c][d] = fma(x[c] - origin[c], reference[3 * a + d], jacobian[c][d]);
  }
  const PointMap map = point_map(jacobian);
  geometries.weight[t] = range.rule.weights[p] * map.determinant;
  for (int a = 0; a < corners; ++a)
#pragma unroll
    for (int c = 0; c < 3; ++c) geometries.gradient[(3 * a + c) * pitch + t] = map.gradient(c, reference + 3 * a);
}

__global__ void __launch_bounds__(threads)
    differentiate(const PointRange range, const double* gradient, const double* fields, std::int64_t rows,
                  int field_count, double* out) {
  const int t = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (t >= range.pitch) return;
  const int first_field = static_cast<int>(blockIdx.y) * fields_at_once;
  const int last_field = min(first_field + fields_at_once, field_count) - 1;
  const std::int64_t pitch = range.pitch;
  double sums[fields_at_once][9] = {};
  if (t < range.count) {
    const int corners = range.block.corners;
    const std::int32_t* vertices = range.block.vertices + range.element(t) * corners;
    for (int a = 0; a < corners; ++a) {
      const double* u = fields + 3 * std::int64_t{vertices[a]};
      double g[3];
#pragma unroll
      for (int d = 0; d < 3; ++d) g[d] = gradient[(3 * a + d) * pitch + t];
#pragma unroll
      for (int f = 0; f < fields_at_once; ++f) {
        const double* column = u + min(first_field + f, last_field) * rows;
#pragma unroll
        for (int c = 0; c < 3; ++c)
#pragma unroll
          for (int d = 0; d < 3; ++d) sums[f][3 * c + d] = fma(column[c], g[d], sums[f][3 * c + d]);
      }
    }
  }
#pragma unroll
  for (int f = 0; f < fields_at_once; ++f) {
    if (first_field + f > last_field) return;
#pragma unroll
    for (int k = 0; k < 9; ++k) out[(std::int64_t{first_field + f} * 9 + k) * pitch + t] = sums[f][k];
  }
}

unsigned blocks(int points) {
  return static_cast<unsigned>((points + threads - 1) / threads);
}

}  // namespace

void measure_points(const PointRange& range, const PointGeometries& geometries, cudaStream_t stream) {
  launch(measure, {dim3(blocks(range.pitch)), dim3(threads)}, stream, range, geometries);
}

void differentiate_fields(const PointRange& range, const PointGeometries& geometries, const double* fields,
                          std::int64_t rows, int field_count, double* gradients, cudaStream_t stream) {
  const dim3 grid(blocks(range.pitch), static_cast<unsigned>((field_count + fields_at_once - 1) / fields_at_once));
  launch(differentiate, {grid, dim3(threads)}, stream, range, geometries.gradient, fields, rows, field_count,
         gradients);
}

}  // namespace quartic::cuda
