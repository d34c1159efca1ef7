#include "cuda/device/device_operations.hpp"

#include "cuda/device/streams.hpp"
#include "quartic/cuda.hpp"

namespace quartic::cuda {
namespace {

template <class T>
constexpr DeviceBatchOperations<T> batch_table() {
  return {
      .state = [](Batch<T>& batch) { return device_state(batch); },
      .device = [](const Batch<T>& batch) { return device(batch); },
      .step = [](Batch<T>& batch, double dt, int substeps,
                 void* stream) { cuda::step(batch, dt, substeps, of(stream)); },
      .check_range = [](Batch<T>& batch, void* stream) { cuda::check_range(batch, of(stream)); },
      .send = [](Batch<T>& batch, void* stream) { cuda::send(batch, of(stream)); },
      .fetch = [](Batch<T>& batch, void* stream) { cuda::fetch(batch, of(stream)); },
      .reset_masked = [](Batch<T>& batch, const std::uint8_t* mask, const BodyStart<T>& start,
                         void* stream) { reset_bodies(batch, mask, start, of(stream)); },
      .reset_numbered = [](Batch<T>& batch, const std::int32_t* numbers, std::int64_t count, const BodyStart<T>& start,
                           void* stream) { reset_bodies(batch, numbers, count, start, of(stream)); },
      .set_rayleigh_damping = [](Batch<T>& batch, const T* mass, const T* stiffness,
                                 void* stream) { cuda::set_rayleigh_damping(batch, mass, stiffness, of(stream)); },
      .set_stiffness_scale = [](Batch<T>& batch, const T* scale,
                                void* stream) { cuda::set_stiffness_scale(batch, scale, of(stream)); },
      .set_pressure = [](Batch<T>& batch, const T* pressure, int chamber,
                         void* stream) { cuda::set_pressure(batch, pressure, chamber, of(stream)); },
      .copy_state = [](StateView<const T> from, StateView<T> to,
                       void* stream) { cuda::copy_state(from, to, of(stream)); }};
}

template <class T>
constexpr DeviceEmbeddingOperations<T> embedding_table() {
  return {.displacements = [](const Embedding& embedding, StateView<const T> q, VertexView to,
                              void* stream) { embedding.displacements(q, to, of(stream)); },
          .positions = [](const Embedding& embedding, StateView<const T> q, VertexView to,
                          void* stream) { embedding.positions(q, to, of(stream)); },
          .posed_positions = [](const Embedding& embedding, StateView<const T> q, StateView<const T> pose,
                                VertexView to, void* stream) { embedding.positions(q, pose, to, of(stream)); },
          .add_vertex_forces = [](const Embedding& embedding, const DeviceVertexForces& forces, StateView<T> reduced,
                                  void* stream) { embedding.add_vertex_forces<T>(forces, reduced, of(stream)); }};
}

std::shared_ptr<const Embedding> make_embedding(MatrixRef basis, std::span<const double> rest_positions,
                                                const EmbeddingOptions& options) {
  return std::make_shared<const Embedding>(basis, rest_positions, options);
}

}  // namespace

// Functions and other tables alone: nothing runs before main.
const DeviceOperations device_operations = {.float_batch = batch_table<float>(),
                                            .double_batch = batch_table<double>(),
                                            .make_embedding = make_embedding,
                                            .float_embedding = embedding_table<float>(),
                                            .double_embedding = embedding_table<double>(),
                                            .streams = stream_operations};

}  // namespace quartic::cuda
