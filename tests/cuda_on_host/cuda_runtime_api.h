// A stand-in for CUDA's headers: kernels run on the host, so that their logic is tested, and sanitized, where there is
// neither a device nor an emulator. The threads of a block are fibers, one block after the other. Device
// and shared memory start as NaN. Streams do everything at once; a captured stream records instead.
//
// What it can't show: warps out of step within a block, memory that isn't fenced, asynchronous copies that nobody waits
// for, registers, time.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#define QUARTIC_CUDA_ON_HOST

namespace cuda_on_host {

/// What the one device says of itself; tests change it to reach other paths.
struct Device {
  int shared_bytes = 232448;
  int multiprocessors = 132;
  int l2_bytes = 50 << 20;
  std::size_t memory_bytes = std::size_t{1} << 40;
};
Device& device();

struct Graph {
  std::vector<std::function<void()>> launches;
};
struct Stream {
  Graph* recording = nullptr;
};

/// Runs or records.
void submit(Stream* stream, std::function<void()> work);

}  // namespace cuda_on_host

using cudaMemPool_t = int*;
enum cudaMemPoolAttr { cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrUsedMemCurrent };
enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorNoDevice };
using cudaStream_t = cuda_on_host::Stream*;
using cudaEvent_t = int*;
using cudaGraph_t = cuda_on_host::Graph*;
using cudaGraphExec_t = cuda_on_host::Graph*;
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum cudaDeviceAttr {
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrMemoryPoolsSupported,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrL2CacheSize,
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrSingleToDoublePrecisionPerfRatio,
  cudaDevAttrClusterLaunch
};
inline constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2;

const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device);
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value);
cudaError_t cudaMallocAsync(void** data, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream);
cudaError_t cudaMallocHost(void** data, std::size_t bytes);
cudaError_t cudaFreeHost(void* data);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
