// Batches and vertices in device memory, on a CUDA stream of the caller's: for rendering, learning and other programs
// that keep their data on the GPU. Link `quartic::cuda`. This is the only header that uses CUDA types.
//
// Contract of every function that takes a stream:
// - It only enqueues work in that stream: it doesn't synchronise, allocate (but see `step`) or read host memory, and
//   may be captured into a graph of the caller's. Errors of the work itself are reported at the next synchronisation.
// - Arrays are device pointers of the device that the batch or embedding was made on, whichever device is current. The
//   null stream is that device's default stream.
// - The order of summation is fixed: results are bitwise the same in each run and for each number of bodies.
// - Arguments are checked before anything is enqueued. @throws InputError, also for pointers that the device can't use;
//   DeviceError if a CUDA call fails
//
// After the first call of one of these functions for a batch, its state is kept on the device: Batch::q() etc. still
// give copies in host memory, but only `send` and `fetch` copy between those and the device. Member functions of Batch
// synchronise with the work that `step`, `send` and `fetch` enqueued. They can't know of other work on the state, such
// as launches of captured graphs and the caller's own kernels: synchronise with that first, and also before the batch
// is destroyed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <span>

#include "quartic/batch.hpp"
#include "quartic/matrix.hpp"

namespace quartic::cuda {

/// The state of a batch made with Backend::cuda, in device memory: as Batch::q() etc., read and written by kernels.
template <class T>
struct DeviceState {
  StateView<T> q, velocity, acceleration, force;
  const BodyStatus* status = nullptr;  ///< shape (B)
};

/// Valid, at the same addresses, as long as the batch exists. @throws InputError if the batch isn't on a GPU
template <class T>
[[nodiscard]] QUARTIC_EXPORT DeviceState<T> device_state(Batch<T>& batch);

/// The number of the device that a batch is on. @throws InputError if it isn't on a GPU
template <class T>
[[nodiscard]] QUARTIC_EXPORT int device(const Batch<T>& batch);

/// As Batch::step, but in a stream. The second of two steps with equal dt and substeps makes a graph of the launches,
/// which allocates; further steps with the same numbers only launch it. If the stream is being captured, the launches
/// themselves are captured. A graph of the caller's stays valid until the batch is destroyed or gets other load curves,
/// and continues from the batch's current time. Steps of one batch must not overlap: order streams by events.
template <class T>
QUARTIC_EXPORT void step(Batch<T>& batch, double dt, int substeps, cudaStream_t stream);

/// Copies to the device those state arrays that were obtained for writing from Batch::q() etc. The host's copies must
/// stay unchanged until the stream has reached this point.
template <class T>
QUARTIC_EXPORT void send(Batch<T>& batch, cudaStream_t stream);

/// Copies to the host all state arrays that it has a copy of; complete once the stream has reached this point.
template <class T>
QUARTIC_EXPORT void fetch(Batch<T>& batch, cudaStream_t stream);

/// Copies between device views of equal shape and any strides, for example a (B, r) tensor. @throws InputError if
/// shapes differ
QUARTIC_EXPORT void copy_state(StateView<const float> from, StateView<float> to, cudaStream_t stream);
QUARTIC_EXPORT void copy_state(StateView<const double> from, StateView<double> to, cudaStream_t stream);

/// Coordinates of vertices in device memory: coordinate c of vertex v of body b is
/// `data[b * stride_body + v * stride_vertex + c]`, c = 0, 1, 2. A packed (B, n, 3) array has strides 3 n and 3; a
/// vertex buffer with position, normal and texture coordinate has stride_vertex = 8.
struct VertexView {
  float* data = nullptr;
  std::int64_t bodies = 0;
  std::int64_t vertices = 0;
  std::int64_t stride_body = 0;
  std::int64_t stride_vertex = 3;
};

/// How U is stored on the device. Half precision has errors of 2^-11 of each mode's part: good for rendering, not for
/// contact.
enum class BasisPrecision : std::uint8_t { single, half };

struct EmbeddingOptions {
  std::span<const std::int32_t> vertices = {};  ///< which of the mesh's, 0-based; empty = all, in the mesh's order
  /// For normals: triangles of vertex positions in `vertices` (of the mesh if that is empty), shape (t, 3),
  /// counter-clockwise from outside.
  std::span<const std::int32_t> triangles = {};
  BasisPrecision precision = BasisPrecision::single;
  int device = -1;  ///< -1 = the current one
};

/// Forces on vertices, in device memory, sorted by body: body b has the entries `starts[b] .. starts[b + 1]`.
struct DeviceVertexForces {
  const std::int64_t* starts = nullptr;    ///< shape (B + 1)
  const std::int32_t* vertices = nullptr;  ///< numbers among the embedding's vertices, shape (entries)
  const float* forces = nullptr;           ///< [N], shape (entries, 3)
};

/// The basis U of one model on a device: from reduced coordinates to vertices, and from vertex forces back. Movable,
/// not copyable; may be used in several streams at once. Work with it must be finished before it is destroyed.
class QUARTIC_EXPORT Embedding {
 public:
  /// @param basis U, shape (3n, r)
  /// @param rest_positions [m], shape (n, 3), row per vertex
  /// @throws InputError for shapes that don't match, indices out of range, too little memory; BackendUnavailable
  Embedding(MatrixRef basis, std::span<const double> rest_positions, const EmbeddingOptions& options = {});
  Embedding(Embedding&&) noexcept;
  Embedding& operator=(Embedding&&) noexcept;
  ~Embedding();

  [[nodiscard]] int rank() const;
  [[nodiscard]] std::int64_t vertices() const;
  [[nodiscard]] int device() const;

  /// Positions x = X + U q [m].
  /// @param q of all bodies that `bodies` may name; rank as the basis
  /// @param bodies which to write, in this order, 0-based, device memory; nullptr = 0, 1, ... The number is
  /// `positions.bodies`.
  void positions(StateView<const float> q, VertexView positions, cudaStream_t stream,
                 const std::int32_t* bodies = nullptr) const;
  void positions(StateView<const double> q, VertexView positions, cudaStream_t stream,
                 const std::int32_t* bodies = nullptr) const;
  /// Displacements u = U q [m], otherwise the same.
  void displacements(StateView<const float> q, VertexView displacements, cudaStream_t stream,
                     const std::int32_t* bodies = nullptr) const;
  void displacements(StateView<const double> q, VertexView displacements, cudaStream_t stream,
                     const std::int32_t* bodies = nullptr) const;

  /// Vertex normals of unit length: the mean of the incident triangles' normals by area. Zero where a vertex has no
  /// triangle, or they cancel. @throws InputError if the embedding has no triangles
  void normals(VertexView positions, VertexView normals, cudaStream_t stream) const;

  /// Adds U^T f of each listed force to the reduced forces, body by body in list order.
  template <class T>
  void add_vertex_forces(const DeviceVertexForces& forces, StateView<T> reduced_force, cudaStream_t stream) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quartic::cuda
