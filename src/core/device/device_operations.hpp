// What quartic/cuda.hpp does, for callers that link libquartic alone and have none of CUDA's headers: streams are
// cudaStream_t as void*, null for the legacy default stream. Contracts are those of quartic/cuda.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "quartic/batch.hpp"
#include "quartic/cuda/device_state.hpp"
#include "quartic/cuda/vertices.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/state.hpp"

namespace quartic {

namespace cuda {
class Embedding;
}  // namespace cuda

template <class T>
struct DeviceBatchOperations {
  cuda::DeviceState<T> (*state)(Batch<T>& batch);
  int (*device)(const Batch<T>& batch);
  void (*step)(Batch<T>& batch, double dt, int substeps, void* stream);
  void (*check_range)(Batch<T>& batch, void* stream);
  void (*send)(Batch<T>& batch, void* stream);
  void (*fetch)(Batch<T>& batch, void* stream);
  void (*reset_masked)(Batch<T>& batch, const std::uint8_t* mask, const BodyStart<T>& start, void* stream);
  void (*reset_numbered)(Batch<T>& batch, const std::int32_t* numbers, std::int64_t count, const BodyStart<T>& start,
                         void* stream);
  void (*set_rayleigh_damping)(Batch<T>& batch, const T* mass, const T* stiffness, void* stream);
  void (*set_stiffness_scale)(Batch<T>& batch, const T* scale, void* stream);
  void (*set_pressure)(Batch<T>& batch, const T* pressure, int chamber, void* stream);
  void (*copy_state)(StateView<const T> from, StateView<T> to, void* stream);
};

template <class T>
struct DeviceEmbeddingOperations {
  void (*displacements)(const cuda::Embedding& embedding, StateView<const T> q, cuda::VertexView to, void* stream);
  void (*positions)(const cuda::Embedding& embedding, StateView<const T> q, cuda::VertexView to, void* stream);
  void (*posed_positions)(const cuda::Embedding& embedding, StateView<const T> q, StateView<const T> pose,
                          cuda::VertexView to, void* stream);
  void (*add_vertex_forces)(const cuda::Embedding& embedding, const cuda::DeviceVertexForces& forces,
                            StateView<T> reduced_force, void* stream);
};

/// Whether a graph is being captured: in the stream itself, or in another one that keeps work out of it.
enum class CaptureState : std::uint8_t { none, here, elsewhere };

/// What `device_of` says of memory that all devices can use.
inline constexpr int usable_everywhere = -2;

/// Streams and memory. All throw DeviceError if CUDA does.
struct StreamOperations {
  /// Work that `waiting` gets from now on comes behind the work that `awaited` has by now. Nothing waits here.
  void (*order)(int device, void* awaited, void* waiting);
  void (*synchronize)(int device, void* stream);
  CaptureState (*capture_state)(void* stream);
  /// The device of a pointer; -1 for host memory, or `usable_everywhere`.
  int (*device_of)(const void* pointer);
  int (*current_device)();
  /// Doesn't wait for the legacy default stream. Destroyed once its work is done; may be released on any thread.
  std::shared_ptr<void> (*make_stream)(int device);
  /// Freed in the order of the stream, which must outlive it; may be released on any thread.
  std::shared_ptr<void> (*allocate)(int device, std::size_t bytes, void* stream);
  // Complete on return.
  void (*copy_to_host)(int device, const void* from, void* to, std::size_t bytes, void* stream);
  void (*copy_to_device)(int device, const void* from, void* to, std::size_t bytes, void* stream);
};

struct DeviceOperations {
  DeviceBatchOperations<float> float_batch;
  DeviceBatchOperations<double> double_batch;
  std::shared_ptr<const cuda::Embedding> (*make_embedding)(MatrixRef basis, std::span<const double> rest_positions,
                                                           const cuda::EmbeddingOptions& options);
  DeviceEmbeddingOperations<float> float_embedding;
  DeviceEmbeddingOperations<double> double_embedding;
  StreamOperations streams;

  template <class T>
  [[nodiscard]] const DeviceBatchOperations<T>& batch() const {
    if constexpr (sizeof(T) == sizeof(float))
      return float_batch;
    else
      return double_batch;
  }
  template <class T>
  [[nodiscard]] const DeviceEmbeddingOperations<T>& embedding() const {
    if constexpr (sizeof(T) == sizeof(float))
      return float_embedding;
    else
      return double_embedding;
  }
};

/// Opens libquartic_cuda if it isn't yet. @throws BackendUnavailable that says what is missing
[[nodiscard]] QUARTIC_EXPORT const DeviceOperations& device_operations();

}  // namespace quartic
