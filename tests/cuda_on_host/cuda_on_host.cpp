#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "cuda_runtime.h"
#include "fibers.hpp"
#include "measure/tensor_core.hpp"

cuda_on_host::Index threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cuda_on_host {
namespace {

// What the lanes of a warp bring to a matrix instruction.
template <class T>
struct Pieces {
  T a[32][4], b[32][2];

  // Row of A and column of B that an entry of C is the product of.
  void take(int row, int column, T (&x)[8], T (&y)[8]) const {
    for (int k = 0; k < 8; ++k) {
      x[k] = a[row % 8 * 4 + k % 4][row / 8 + k / 4 * 2];
      y[k] = b[column * 4 + k % 4][k / 4];
    }
  }
};
struct BfloatPieces {
  uint4 a[32];
  uint2 b[32];

  // As Pieces::take: lane (g, t) has monomials t, t + 4, t + 8 and t + 12.
  void take(unsigned row, unsigned column, float (&x)[16], float (&y)[16]) const {
    for (unsigned k = 0; k < 16; ++k) {
      const uint4& of_row = a[row % 8 * 4 + k % 4];
      const uint2& of_column = b[column * 4 + k % 4];
      const bool below = row >= 8, behind = k >= 8, upper = k / 4 % 2 != 0;
      const unsigned word = behind ? (below ? of_row.w : of_row.z) : (below ? of_row.y : of_row.x);
      const unsigned other = behind ? of_column.y : of_column.x;
      x[k] = upper ? second_of_bfloat16(word) : first_of_bfloat16(word);
      y[k] = upper ? second_of_bfloat16(other) : first_of_bfloat16(other);
    }
  }
};
struct WarpPieces {
  BfloatPieces bfloat16;
  Pieces<double> doubles;
};

struct Block {
  Meeting all;
  std::vector<Meeting> warps;
  std::vector<WarpPieces> pieces;              // of each warp
  std::vector<std::array<double, 32>> values;  // that the lanes of each warp hand on
  std::unique_ptr<unsigned char[]> shared;

  Block(unsigned threads, std::size_t shared_bytes)
      : all(static_cast<int>(threads)),
        warps(threads / 32 + 1, Meeting(32)),
        pieces(threads / 32 + 1),
        values(threads / 32 + 1),
        shared(new unsigned char[shared_bytes]) {
    std::memset(shared.get(), 0xFF, shared_bytes);  // NaN
  }
};

std::unique_ptr<Block> current;

// Waits, and is itself again.
template <class Wait>
auto meet(const Wait& wait) {
  const unsigned index = threadIdx.x;
  const auto result = wait();
  threadIdx.x = index;
  return result;
}

// An entry of C at a time: sum(c, row of A, column of B).
template <class T, class Sum>
void multiply_add(Pieces<T>& pieces, const T (&a)[4], const T (&b)[2], T (&c)[4], const Sum& sum) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto meet_warp = [&] { meet([&] { return current->warps[warp].any(false); }); };
  std::copy_n(a, 4, pieces.a[lane]);
  std::copy_n(b, 2, pieces.b[lane]);
  meet_warp();
  for (int n = 0; n < 4; ++n) {
    T x[8], y[8];
    pieces.take(static_cast<int>(lane) / 4 + n / 2 * 8, static_cast<int>(lane) % 4 * 2 + n % 2, x, y);
    c[n] = sum(c[n], x, y);
  }
  meet_warp();
}

}  // namespace

Device& device() {
  static Device value;
  return value;
}

void submit(Stream* stream, std::function<void()> work) {
  if (stream != nullptr && stream->recording != nullptr)
    stream->recording->launches.push_back(std::move(work));
  else
    work();
}

void run_grid(const cudaLaunchConfig_t& config, const std::function<void()>& thread) {
  blockDim = config.blockDim;
  gridDim = config.gridDim;
  for (unsigned n = 0; n < gridDim.x * gridDim.y * gridDim.z; ++n) {
    const unsigned x = n % gridDim.x, y = n / gridDim.x % gridDim.y, z = n / gridDim.x / gridDim.y;
    current = std::make_unique<Block>(blockDim.x, config.dynamicSmemBytes);
    blockIdx.x = x, blockIdx.y = y, blockIdx.z = z;
    run_fibers(blockDim.x, [&](unsigned index) {
      threadIdx.x = index;
      thread();
      current->warps[index / 32].leave();
      current->all.leave();
    });
  }
}

}  // namespace cuda_on_host

using cuda_on_host::current;

unsigned char* shared_memory() {
  return current->shared.get();
}
void __syncthreads() {
  cuda_on_host::meet([] { return current->all.any(false); });
}
int __syncthreads_or(int predicate) {
  return cuda_on_host::meet([&] { return current->all.any(predicate != 0); }) ? 1 : 0;
}
int __any_sync(unsigned, int predicate) {
  return cuda_on_host::meet([&] { return current->warps[threadIdx.x / 32].any(predicate != 0); }) ? 1 : 0;
}
double __shfl_xor_sync(unsigned, double value, int lane_mask) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  current->values[warp][lane] = value;
  __any_sync(~0U, 0);
  const double other = current->values[warp][lane ^ static_cast<unsigned>(lane_mask)];
  __any_sync(~0U, 0);
  return other;
}
float __shfl_xor_sync(unsigned mask, float value, int lane_mask) {
  return static_cast<float>(__shfl_xor_sync(mask, double{value}, lane_mask));
}

unsigned round_to_bfloat16(float first, float second) {
  const auto bits = [](float x) { return std::bit_cast<unsigned>(quartic::measure::round_to_bfloat16(x)); };
  return bits(first) >> 16 | (bits(second) & 0xFFFF0000U);
}
float first_of_bfloat16(unsigned pair) {
  return std::bit_cast<float>(pair << 16);
}
float second_of_bfloat16(unsigned pair) {
  return std::bit_cast<float>(pair & 0xFFFF0000U);
}
void multiply_add_bfloat16(const uint4& a, const uint2& b, float (&c)[4]) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  auto& pieces = current->pieces[warp].bfloat16;
  pieces.a[lane] = a, pieces.b[lane] = b;
  __any_sync(~0U, 0);
  for (unsigned n = 0; n < 4; ++n) {
    float x[16], y[16];
    pieces.take(lane / 4 + n / 2 * 8, lane % 4 * 2 + n % 2, x, y);
    c[n] = quartic::measure::add_all_products(c[n], x, y);
  }
  __any_sync(~0U, 0);
}
void multiply_add_double(const double2& a_first, const double2& a_second, double b0, double b1, double (&c)[4]) {
  const auto sum = [](double start, const double(&x)[8], const double(&y)[8]) {
    for (int k = 0; k < 8; ++k) start = std::fma(x[k], y[k], start);
    return start;
  };
  cuda_on_host::multiply_add<double>(current->pieces[threadIdx.x / 32].doubles,
                                     {a_first.x, a_first.y, a_second.x, a_second.y}, {b0, b1}, c, sum);
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : error == cudaSuccess ? "no error" : "invalid value";
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  return *count = 1, cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  return *device = 0, cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int) {
  return *pool = nullptr, cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  return *static_cast<unsigned long long*>(value) = 0, cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  const cuda_on_host::Device& device = cuda_on_host::device();
  switch (which) {
    case cudaDevAttrComputeCapabilityMajor:
      return *value = 9, cudaSuccess;
    case cudaDevAttrMemoryPoolsSupported:
      return *value = 1, cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return *value = device.shared_bytes, cudaSuccess;
    case cudaDevAttrL2CacheSize:
      return *value = device.l2_bytes, cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      return *value = device.multiprocessors, cudaSuccess;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return *value = 2, cudaSuccess;
    case cudaDevAttrClusterLaunch:
      return *value = 0, cudaSuccess;
  }
  return cudaErrorInvalidValue;
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  return *available = *total = cuda_on_host::device().memory_bytes, cudaSuccess;
}
cudaError_t cudaMallocAsync(void** data, std::size_t bytes, cudaStream_t) {
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*data, 0xFF, bytes);  // NaN
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t) {
  return std::free(data), cudaSuccess;
}
cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
  return cudaMallocAsync(data, bytes, nullptr);
}
cudaError_t cudaFreeHost(void* data) {
  return std::free(data), cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  cuda_on_host::submit(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  cuda_on_host::submit(stream, [=] { std::memset(data, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return *stream = new cuda_on_host::Stream, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return delete stream, cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return stream != nullptr && stream->recording != nullptr ? cudaErrorInvalidValue : cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const bool active = stream != nullptr && stream->recording != nullptr;
  return *status = active ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone, cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream == nullptr) return cudaErrorInvalidValue;
  return stream->recording = new cuda_on_host::Graph, cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return *graph = std::exchange(stream->recording, nullptr), cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return *executable = new cuda_on_host::Graph(*graph), cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  for (const auto& launch : executable->launches) launch();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return delete graph, cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return delete executable, cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = new int(0), cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return delete event, cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
