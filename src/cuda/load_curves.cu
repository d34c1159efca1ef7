// Load curves: see `scale_at` in src/core/load_curve.cpp for the rule. Time is kept on the device, so that a graph of
// steps goes on with it at each launch.
#include "cuda/load_curves.hpp"

namespace quartic::cuda {
namespace {

__device__ double scale_at(const CurveView& curves, int curve, double time, double slack) {
  const std::int64_t begin = curves.starts[curve], end = curves.starts[curve + 1];
  std::int64_t next = begin, behind = end;  // the first point after the time
  while (next < behind) {
    const std::int64_t middle = next + (behind - next) / 2;
    if (curves.times[middle] > time + slack)
      behind = middle;
    else
      next = middle + 1;
  }
  if (next == begin) return curves.scales[begin];
  if (next == end) return curves.scales[end - 1];
  const double share = (time - curves.times[next - 1]) / (curves.times[next] - curves.times[next - 1]);
  const double clamped = share < 0 ? 0 : share > 1 ? 1 : share;
  return curves.scales[next - 1] + clamped * (curves.scales[next] - curves.scales[next - 1]);
}

template <class T>
__global__ void __launch_bounds__(tile_bodies)
    scale_tile_forces(const BatchView<T> batch, const CurveView curves, const double* time, double dt, T* start_scale,
                      T* end_scale) {
  const Tile& tile = batch.tiles[blockIdx.x];
  if (static_cast<int>(threadIdx.x) >= tile.bodies) return;
  const std::int64_t body = tile.first_body + static_cast<int>(threadIdx.x);
  const double start = *time, end = start + dt, slack = 1e-6 * (end - start);
  const int curve = curves.curve_of_body[body];
  start_scale[body] = curve < 0 ? T{1} : static_cast<T>(scale_at(curves, curve, start, slack));
  end_scale[body] = curve < 0 ? T{1} : static_cast<T>(scale_at(curves, curve, end, slack));
}

__global__ void add_time(double* time, double dt, int substeps) {
  double sum = *time;
  for (int n = 0; n < substeps; ++n) sum += dt;
  *time = sum;
}

__global__ void set_time(const double* from, double* to) {
  *to = *from;
}

}  // namespace

template <class T>
void scale_forces(const BatchView<T>& batch, const CurveView& curves, const double* time, double dt, T* start_scale,
                  T* end_scale, int tiles, cudaStream_t stream) {
  launch(scale_tile_forces<T>, {dim3(static_cast<unsigned>(tiles)), dim3(tile_bodies)}, stream, batch, curves, time, dt,
         start_scale, end_scale);
}

void copy_time(const double* from, double* to, cudaStream_t stream) {
  launch(set_time, {dim3(1), dim3(1)}, stream, from, to);
}

void advance_time(double* time, double dt, int substeps, cudaStream_t stream) {
  launch(add_time, {dim3(1), dim3(1)}, stream, time, dt, substeps);
}

template void scale_forces(const BatchView<float>&, const CurveView&, const double*, double, float*, float*, int,
                           cudaStream_t);
template void scale_forces(const BatchView<double>&, const CurveView&, const double*, double, double*, double*, int,
                           cudaStream_t);

}  // namespace quartic::cuda
