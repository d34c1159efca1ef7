// What the cycle model (scripts/gpu-model) takes for granted, measured: cycles of instructions, of a cluster's meeting,
// and bytes from L2. A line of JSON for each: {"name", "measured", "model", "unit"}. Takes a few seconds.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>

#include "cuda/base/mma.cuh"
#include "cuda/batch/steps/cluster.cuh"

namespace {

constexpr int warps = 16, threads = 32 * warps, rounds = 64, unrolled = 16;

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

// A block alone on its multiprocessor does something `rounds * unrolled` times in each warp; cycles per warp of it.
template <class Body>
__device__ void measure(long long* cycles, const Body& body) {
  __syncthreads();
  const long long start = clock64();
  for (int n = 0; n < rounds; ++n)
#pragma unroll
    for (int k = 0; k < unrolled; ++k) body(k);
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - start;
}

// 16-byte loads: lane l reads at 16 (l >> shift & mask) bytes of its warp's 512.
__global__ void shared_loads(long long* cycles, float* result, int mask, int shift) {
  __shared__ float4 values[threads];
  values[threadIdx.x] = make_float4(1, 2, 3, 4);
  const unsigned lane = threadIdx.x % 32;
  const auto place =
      static_cast<unsigned>(__cvta_generic_to_shared(values + threadIdx.x / 32 * 32 + (lane >> shift & mask)));
  float sum = 0;
  measure(cycles, [&](int) {
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(place));
    sum += v.x;
  });
  result[threadIdx.x] = sum;
}

__global__ void multiply_adds(long long* cycles, float* result) {
  float sums[unrolled];
  for (int k = 0; k < unrolled; ++k) sums[k] = static_cast<float>(threadIdx.x + k);
  measure(cycles, [&](int k) { sums[k] = fma(sums[k], -0.9999F, 1.25F); });
  float sum = 0;
  for (const float x : sums) sum += x;
  result[threadIdx.x] = sum;
}

__global__ void matrix_instructions(long long* cycles, float* result) {
  float sums[unrolled][4] = {};
  const unsigned x = round_to_bfloat16(1 + 1e-2F * static_cast<float>(threadIdx.x), -1);
  measure(cycles, [&](int k) { multiply_add_bfloat16(make_uint4(x, x, x, x), make_uint2(x, x), sums[k]); });
  float sum = 0;
  for (const auto& some : sums) sum += some[0] + some[1] + some[2] + some[3];
  result[threadIdx.x] = sum;
}

__global__ void meetings(long long* cycles, float* result) {
  measure(cycles, [&](int) { quartic::cuda::Cluster<true>::synchronize(); });
  result[threadIdx.x] = 0;
}

// All blocks read the same 4 MB over and over, past L1.
constexpr int l2_values = 4 << 16, l2_rounds = 4;
__global__ void l2_reads(long long* cycles, float* result, const float4* values) {
  __syncthreads();
  const long long start = clock64();
  float sum = 0;
  for (int round = 0; round < l2_rounds; ++round)
#pragma unroll 8
    for (int n = 0; n < l2_values; n += threads) {
      const float4 v = __ldcg(values + (n + blockIdx.x * 4096 + threadIdx.x) % l2_values);
      sum += v.x + v.y + v.z + v.w;
    }
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = clock64() - start;
  result[threadIdx.x] = sum;
}

template <class T>
std::unique_ptr<T, decltype(&cudaFree)> device_array(std::size_t size) {
  void* data = nullptr;
  check(cudaMalloc(&data, size * sizeof(T)));
  check(cudaMemset(data, 0, size * sizeof(T)));
  return {static_cast<T*>(data), &cudaFree};
}

class Calibration {
 public:
  // The least cycles of some launches.
  template <class... Parameters, class... Arguments>
  double cycles_of(int blocks, int cluster, void (*kernel)(long long*, float*, Parameters...), Arguments... arguments) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(threads);
    config.attrs = &attribute;
    config.numAttrs = cluster > 1 ? 1 : 0;
    long long best = 0;
    for (int n = 0; n < 5; ++n) {
      check(cudaLaunchKernelEx(&config, kernel, cycles_.get(), result_.get(), static_cast<Parameters>(arguments)...));
      long long found = 0;
      check(cudaMemcpy(&found, cycles_.get(), sizeof(found), cudaMemcpyDeviceToHost));
      best = n == 0 ? found : std::min(best, found);
    }
    return static_cast<double>(best);
  }

 private:
  std::unique_ptr<long long, decltype(&cudaFree)> cycles_ = device_array<long long>(1);
  std::unique_ptr<float, decltype(&cudaFree)> result_ = device_array<float>(threads);
};

void print(const char* name, double measured, double model, const char* unit) {
  std::printf("{\"name\": \"calibration/%s\", \"measured\": %.4g, \"model\": %.4g, \"unit\": \"%s\"}\n", name, measured,
              model, unit);
  std::fflush(stdout);
}

void calibrate() {
  Calibration device;
  constexpr double per_warp = static_cast<double>(rounds) * unrolled * warps, per_scheduler = per_warp / 4;
  const char* cycles = "cycles per warp";
  print("load of 16 bytes, one address", device.cycles_of(1, 1, shared_loads, 0, 0) / per_warp, 2, cycles);
  print("load of 16 bytes, lanes n and n ^ 1 alike", device.cycles_of(1, 1, shared_loads, 15, 1) / per_warp, 2, cycles);
  print("load of 16 bytes, 4 addresses", device.cycles_of(1, 1, shared_loads, 3, 3) / per_warp, 2, cycles);
  print("load of 16 bytes, all addresses differ", device.cycles_of(1, 1, shared_loads, 31, 0) / per_warp, 4, cycles);
  print("multiply-add", device.cycles_of(1, 1, multiply_adds) / per_scheduler, 1, cycles);
  print("matrix instruction on bfloat16", device.cycles_of(1, 1, matrix_instructions) / per_scheduler, 6.5, cycles);

  cudaDeviceProp properties = {};
  check(cudaGetDeviceProperties(&properties, 0));
  if (properties.major >= 9)
    print("meeting of a cluster of 8", device.cycles_of(8, 8, meetings) / (rounds * unrolled), 350, "cycles");
  const auto values = device_array<float4>(l2_values);
  const double l2 = device.cycles_of(properties.multiProcessorCount, 1, l2_reads, values.get());
  print("bytes from L2", l2_rounds * 16.0 * l2_values / l2, 24, "per cycle and multiprocessor");
}

}  // namespace

int main() try {
  calibrate();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "cuda_calibrate: %s\n", error.what());
  return 1;
}
