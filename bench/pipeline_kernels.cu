// A warp per body: lanes read and write what lies side by side. make_systems keeps K's triangle and q of each body in
// shared memory, r(r+3)/2 values; per body it reads entries + 5 r values and writes entries + r.
#include <algorithm>

#include "cuda/base/runtime.hpp"
#include "pipeline_kernels.hpp"

namespace quartic::measure {
namespace {

constexpr int lanes = 32, most_warps = 8, threads = lanes * most_warps;

struct Place {
  std::int64_t body;
  int warp, lane;
};
__device__ Place place() {
  const int warps = static_cast<int>(blockDim.x) / lanes, thread = static_cast<int>(threadIdx.x);
  return {std::int64_t{blockIdx.x} * warps + thread / lanes, thread / lanes, thread % lanes};
}

template <class T>
__global__ void __launch_bounds__(threads) products_of_bodies(const PipelineView<T> view) {
  const Place at = place();
  if (at.body >= view.bodies) return;
  const T* q = view.q + at.body * view.rank;
  T* products = view.products + at.body * view.monomial_stride;
  const auto factor = [&](int index) { return index == 0 ? T{1} : q[index - 1]; };
  for (int n = at.lane; n < view.monomials; n += lanes)
    products[n] = factor(view.pairs[n].first) * factor(view.pairs[n].second);
}

// Where K_ij of 0 <= j <= i < r is in the triangle: column by column.
__device__ int entry(int i, int j, int rank) {
  return j * (2 * rank - j - 1) / 2 + i;
}

template <class T>
__global__ void __launch_bounds__(threads) systems_of_bodies(const PipelineView<T> view, const StepSettings<T> s) {
  extern __shared__ double shared[];
  const Place at = place();
  if (at.body >= view.bodies) return;
  const int rank = view.rank, entries = view.entries;
  T* k = reinterpret_cast<T*>(shared) + at.warp * (entries + rank);
  T* q = k + entries;
  const T* h = view.h + at.body * view.h_stride;
  T* matrix = view.matrices + at.body * rank * rank;
  for (int n = at.lane; n < entries; n += lanes) {
    const IndexPair pair = view.pairs[rank + 1 + n];
    k[n] = h[n];
    matrix[(pair.first - 1) * rank + pair.second - 1] = h[n] + (pair.first == pair.second ? s.a1 : T{0});
  }
  const std::int64_t first = at.body * rank;
  for (int i = at.lane; i < rank; i += lanes) q[i] = view.q[first + i];
  __syncwarp();
  for (int i = at.lane; i < rank; i += lanes) {
    T sum = h[entries + i];
    for (int j = 0; j < rank; ++j) sum = fma(k[entry(max(i, j), min(i, j), rank)], q[j], sum);
    const T acceleration = -s.a2 * view.velocity[first + i] - s.a3 * view.acceleration[first + i];
    view.solutions[first + i] = acceleration + sum / 3 - view.force[first + i];
  }
}

template <class T>
__global__ void __launch_bounds__(threads) states_of_bodies(const PipelineView<T> view, const StepSettings<T> s) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n >= view.bodies * view.rank) return;
  const T increment = -view.solutions[n], v = view.velocity[n], a = view.acceleration[n];
  view.q[n] += increment;
  view.velocity[n] = s.a4 * increment + s.a5 * v + s.a6 * a;
  view.acceleration[n] = s.a1 * increment - s.a2 * v - s.a3 * a;
}

cuda::LaunchShape warp_per_body(std::int64_t bodies, int warps, std::size_t bytes_of_body) {
  return {dim3(static_cast<unsigned>((bodies + warps - 1) / warps)), dim3(static_cast<unsigned>(warps * lanes)),
          static_cast<std::size_t>(warps) * bytes_of_body};
}

}  // namespace

template <class T>
void make_products(const PipelineView<T>& view, cudaStream_t stream) {
  cuda::launch(products_of_bodies<T>, warp_per_body(view.bodies, most_warps, 0), stream, view);
}

template <class T>
void make_systems(const PipelineView<T>& view, const StepSettings<T>& settings, cudaStream_t stream) {
  const std::size_t bytes = pipeline_shared_bytes<T>(view.rank);
  const int warps = std::min(most_warps, static_cast<int>(most_shared_bytes / bytes));
  cuda::launch(systems_of_bodies<T>, warp_per_body(view.bodies, warps, bytes), stream, view, settings);
}

template <class T>
void move_on(const PipelineView<T>& view, const StepSettings<T>& settings, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((view.bodies * view.rank + threads - 1) / threads);
  cuda::launch(states_of_bodies<T>, {dim3(blocks), dim3(threads)}, stream, view, settings);
}

template void make_products(const PipelineView<float>&, cudaStream_t);
template void make_products(const PipelineView<double>&, cudaStream_t);
template void make_systems(const PipelineView<float>&, const StepSettings<float>&, cudaStream_t);
template void make_systems(const PipelineView<double>&, const StepSettings<double>&, cudaStream_t);
template void move_on(const PipelineView<float>&, const StepSettings<float>&, cudaStream_t);
template void move_on(const PipelineView<double>&, const StepSettings<double>&, cudaStream_t);

}  // namespace quartic::measure
