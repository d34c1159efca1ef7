// Load curves. Time is kept on the device, so that a graph of
// steps goes on with it at each launch.
#include "core/batch/curve_value.hpp"
#include "cuda/batch/steps/load_curves.hpp"

namespace quartic::cuda {
namespace {

__device__ double scale_at(const CurveView& curves, int curve, double time, double slack) {
  const std::int64_t begin = curves.starts[curve];
  return curve_value(curves.times + begin, curves.scales + begin, curves.starts[curve + 1] - begin, time, slack);
}

template <class T>
__global__ void __launch_bounds__(tile_bodies)
    scale_tile_forces(const BatchView<T> batch, const CurveView curves, const double* time, double dt, T* start_scale,
                      T* end_scale) {
  const Tile& tile = batch.tiles[blockIdx.x];
  if (static_cast<int>(threadIdx.x) >= tile.bodies) return;
  const std::int64_t body = tile.first_body + static_cast<int>(threadIdx.x);
  const double start = *time, end = start + dt, slack = curve_slack(start, end);
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
