// The part of the stand-in that kernels see.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>

#include "cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3() = default;
  constexpr dim3(unsigned a, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}  // NOLINT: as CUDA's
};
extern dim3 blockDim, gridDim;

namespace cuda_on_host {
/// The running thread's number. Atomic, since all fibers set and read the same variable.
class Coordinate {
 public:
  operator unsigned() const { return value_.load(std::memory_order_relaxed); }  // NOLINT: as CUDA's
  Coordinate& operator=(unsigned value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }

 private:
  std::atomic<unsigned> value_{0};
};
struct Index {
  Coordinate x, y, z;
};
}  // namespace cuda_on_host
extern cuda_on_host::Index threadIdx, blockIdx;

struct alignas(8) float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
inline float2 make_float2(float x, float y) {
  return {x, y};
}
inline float3 make_float3(float x, float y, float z) {
  return {x, y, z};
}
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
inline double2 make_double2(double x, double y) {
  return {x, y};
}

using std::fabs;
using std::fma;
using std::min;
using std::sqrt;
inline float rsqrtf(float x) {
  return 1 / std::sqrt(x);
}
inline double rsqrt(double x) {
  return 1 / std::sqrt(x);
}

unsigned char* shared_memory();
void __syncthreads();
int __syncthreads_or(int predicate);
int __any_sync(unsigned mask, int predicate);
float __shfl_xor_sync(unsigned mask, float value, int lane_mask);
double __shfl_xor_sync(unsigned mask, double value, int lane_mask);

// Of cuda/base/mma.cuh.
unsigned round_to_bfloat16(float first, float second);
float first_of_bfloat16(unsigned pair);
float second_of_bfloat16(unsigned pair);
void multiply_add_bfloat16(const uint4& a, const uint2& b, float (&c)[4]);
void multiply_add_double(const double2& a_first, const double2& a_second, double b0, double b1, double (&c)[4]);

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  struct cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};
enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    struct {
      unsigned x, y, z;
    } clusterDim;
  } val;
};
struct cudaFuncAttributes {
  int ptxVersion = 80;  // there are no clusters
};
template <class... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, void (*)(Parameters...)) {
  return cudaSuccess;
}
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, void (*)(Parameters...), const cudaLaunchConfig_t*) {
  return *clusters = 0, cudaSuccess;
}
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributePreferredSharedMemoryCarveout };
inline constexpr int cudaSharedmemCarveoutMaxShared = 100;

namespace cuda_on_host {
/// Runs `thread` once per thread of each block.
void run_grid(const cudaLaunchConfig_t& config, const std::function<void()>& thread);
}  // namespace cuda_on_host

template <class... Parameters>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Parameters... values) {
  if (config->gridDim.x == 0 || config->gridDim.y > 65535 || config->blockDim.x > 1024 ||
      config->dynamicSmemBytes > static_cast<std::size_t>(cuda_on_host::device().shared_bytes))
    return cudaErrorInvalidValue;
  cuda_on_host::submit(config->stream, [launch = *config, kernel, values...] {
    cuda_on_host::run_grid(launch, [&] { kernel(values...); });
  });
  return cudaSuccess;
}

template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*)(Parameters...), cudaFuncAttribute, int bytes) {
  return bytes <= cuda_on_host::device().shared_bytes ? cudaSuccess : cudaErrorInvalidValue;
}
