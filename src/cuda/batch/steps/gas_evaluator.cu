// Gases that keep p V, behind an evaluation of H: pressures from volumes, and the part of K that follows from them.
//
// A block of 8 warps works on 32 bodies, lane = body, chamber by chamber. V is summed in double, a warp every eighth
// first index of its coefficients, in an order that nothing but the rank gives; g in T, a warp every eighth row. Per
// body and chamber r^3/6 multiply-adds in double at each end, r^3/2 + r^2 in T at each point; h_rows values are read
// and written there. Bodies without a gas keep their H.
//
// Shared memory: 2 kB, and g: 32 r values.
#include "core/batch/gas_law.hpp"
#include "core/energy/symmetric_tensor.hpp"
#include "cuda/batch/steps/gas_evaluator.hpp"
#include "cuda/batch/steps/step_kernels.cuh"
#include "cuda/energy/gas_image.hpp"

namespace quartic::cuda {
namespace {

constexpr int gas_warps = 8;

[[nodiscard]] __device__ int warp_number() {
  return static_cast<int>(threadIdx.x) / warp_size;
}
[[nodiscard]] __device__ int lane_number() {
  return static_cast<int>(threadIdx.x) % warp_size;
}

// V, with `at(k)` = q^_k, by all warps. Has barriers. @param parts shape (gas_warps, 32), shared
template <class Point>
[[nodiscard]] __device__ double volume_at(const double* coefficients, int rank, double* parts, const Point& at) {
  double sum = 0;
  for (int a = warp_number(); a <= rank; a += gas_warps) {
    const auto first = static_cast<std::size_t>(a);
    const double* next = coefficients + triple_index(first, first, first, static_cast<std::size_t>(rank) + 1);
    double sum_a = 0;
    for (int b = a; b <= rank; ++b) {
      double sum_b = 0;
#pragma unroll 4
      for (int c = b; c <= rank; ++c) sum_b = fma(*next++, at(c), sum_b);
      sum_a = fma(sum_b, at(b), sum_a);
    }
    sum = fma(sum_a, at(a), sum);
  }
  __syncthreads();  // nobody reads the parts of another volume any more
  parts[warp_number() * warp_size + lane_number()] = sum;
  __syncthreads();
  double total = 0;
  for (int w = 0; w < gas_warps; ++w) total += parts[w * warp_size + lane_number()];
  return total;
}

// 32 bodies of a tile, one per lane, at one of the points.
template <class T>
struct GasPoint {
  const LaneBodies<T>& lane;
  const T* point;  // q^_0 of the lane
  T* h;            // H's entry of row 0

  __device__ GasPoint(const LaneBodies<T>& bodies, const T* points, T* rows)
      : lane(bodies),
        point(points + bodies.tile.point_row * tile_bodies + bodies.lane),
        h(rows + bodies.tile.h_row * tile_bodies + bodies.lane) {}

  [[nodiscard]] __device__ T at(int k) const { return point[k * tile_bodies]; }

  /// dV/dq_i from its coefficients.
  [[nodiscard]] __device__ T derivative(const T* coefficients) const {
    T sum = 0;
    for (int b = 0; b <= lane.model.rank; ++b) {
      T sum_b = 0;
#pragma unroll 4
      for (int c = b; c <= lane.model.rank; ++c) sum_b = fma(*coefficients++, at(c), sum_b);
      sum = fma(sum_b, at(b), sum);
    }
    return sum;
  }

  /// Adds kappa g g^T to H where there is a gas. Has barriers. @param g of the lane, shape (r, 32), shared
  __device__ void add_stiffness(const T* coefficients, T kappa, bool has_gas, bool has_force, T* g) const {
    const int rank = lane.model.rank, warp = warp_number();
    __syncthreads();  // nobody reads another g any more
    for (int i = warp; i < rank; i += gas_warps)
      g[i * warp_size] = derivative(coefficients + i * gradient_row_size(rank));
    __syncthreads();
    if (!has_gas) return;
    T along = 0;
    for (int i = 0; i < rank; ++i) along = fma(g[i * warp_size], at(i + 1), along);
    for (int i = warp; i < rank; i += gas_warps) {
      const T share = kappa * g[i * warp_size];
      for (int j = 0; j <= i; ++j) {
        T& entry = h[stiffness_row(i, j) * tile_bodies];
        entry = fma(share, g[j * warp_size], entry);
      }
      if (has_force) continue;  // R stands there
      T& rest = h[(stiffness_rows(rank) + i) * tile_bodies];
      rest = fma(-share, along, rest);
    }
  }
};

// The mean state over the step. Its end is q + d, and the points are q + s d with shares s that sum to 1.
template <class T>
[[nodiscard]] __device__ GasState mean_state(const BatchView<T>& batch, const GasPoint<T>& first,
                                             const GasPoint<T>& second, const double* volume, double amount,
                                             double* parts) {
  const int rank = first.lane.model.rank;
  const T* q = batch.q + first.lane.body;
  const auto start = [&](int k) { return k == 0 ? 1.0 : double{q[(k - 1) * batch.pitch]}; };
  const double before = volume_at(volume, rank, parts, start);
  const double behind =
      volume_at(volume, rank, parts, [&](int k) { return double{first.at(k)} + double{second.at(k)} - start(k); });
  return {mean_gas(amount, before, behind).pressure, chord_stiffness(amount, before, behind)};
}

template <class T>
__global__ void __launch_bounds__(gas_warps* warp_size)
    add_gases(const BatchView<T> batch, const GasView<T> gases, bool has_force) {
  const LaneBodies<T> lane = lane_bodies(batch);
  const int rank = lane.model.rank;
  const bool has_two_points = batch.second_points != nullptr;
  const GasPoint<T> first(lane, batch.points, batch.h);
  const GasPoint<T> second(lane, has_two_points ? batch.second_points : batch.points,
                           has_two_points ? batch.second_h : batch.h);
  double* parts = reinterpret_cast<double*>(shared_memory());
  T* g = reinterpret_cast<T*>(parts + gas_warps * warp_size) + lane_number();
  const bool is_open = lane.valid && batch.progress[lane.body] == step_open;
  const double scale = double{batch.stiffness_scale[lane.body]};
  const GasImages<T>& images = gases.images[lane.tile.model];
  for (int chamber = 0; chamber < lane.model.chambers; ++chamber) {
    const std::int64_t n = chamber * batch.bodies + lane.body;
    const double amount = gases.amount[n];
    const bool has_gas = is_open && amount > 0;
    T pressure = gases.given[n];
    if (any(has_gas)) {
      const double* volume = images.volumes + chamber * volume_image_size(rank);
      const T* gradient = images.gradients + chamber * rank * gradient_row_size(rank);
      const GasState state =
          has_two_points ? mean_state(batch, first, second, volume, amount, parts)
                         : gas_at(amount, volume_at(volume, rank, parts, [&](int k) { return double{first.at(k)}; }));
      if (has_gas) pressure = static_cast<T>(double{pressure} + (state.pressure - gases.atmosphere));
      const T kappa = static_cast<T>(state.stiffness / scale);
      first.add_stiffness(gradient, kappa, has_gas, has_force, g);
      if (has_two_points) second.add_stiffness(gradient, kappa, has_gas, has_force, g);
    }
    if (lane.valid && warp_number() == 0) gases.pressure[n] = pressure;
  }
}

}  // namespace

template <class T>
void GasEvaluator<T>::evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const {
  elastic_.evaluate(batch, shape, stream);
  if (!shape.has_chambers) return;
  const std::size_t shared_bytes =
      warp_size * (gas_warps * sizeof(double) + static_cast<std::size_t>(shape.rank) * sizeof(T));
  launch(
      add_gases<T>,
      {dim3(static_cast<unsigned>(shape.tiles * (tile_bodies / warp_size))), dim3(gas_warps * warp_size), shared_bytes},
      stream, batch, gases_, makes_forces());
}

template <class T>
void prepare_gases(std::size_t shared_bytes) {
  allow_shared_memory(add_gases<T>, shared_bytes);
}

template class GasEvaluator<float>;
template class GasEvaluator<double>;
template void prepare_gases<float>(std::size_t);
template void prepare_gases<double>(std::size_t);

}  // namespace quartic::cuda
