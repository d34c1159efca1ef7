// Chosen points of a body whose basis is in device memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/device/device_operations.hpp"
#include "python/arrays/array.hpp"
#include "python/arrays/own_stream.hpp"
#include "quartic/matrix.hpp"

namespace quartic::python {

class DeviceEmbedding {
 public:
  /// @param rest shape (v, 3) @param device of CUDA; -1: the current one
  DeviceEmbedding(const Matrix& basis, const std::vector<double>& rest, const std::array<double, 3>& mass_centre,
                  int device);

  /// Waits for the work of all calls, which reads the basis.
  ~DeviceEmbedding() { calls_.wait(); }
  DeviceEmbedding(const DeviceEmbedding&) = delete;
  DeviceEmbedding& operator=(const DeviceEmbedding&) = delete;

  [[nodiscard]] int device() const { return device_; }
  /// U q, or positions, at once with poses. @param out float32, shape (B, v, 3)
  void vertices(const Array& q, bool from_rest, const std::optional<Array>& pose, const Array& out) const;
  /// reduced += U^T forces. @param forces float32, shape (B, v, 3)
  void add_vertex_forces(const Array& forces, const Array& reduced) const;

 private:
  // A force on each vertex of so many bodies, as the library takes lists of forces.
  struct ForceList {
    Array starts, vertices;
  };
  [[nodiscard]] const ForceList& force_list(std::int64_t bodies) const;

  int device_;
  OwnStream calls_;  // comes behind their work; before what is freed in it
  std::int64_t points_;
  std::shared_ptr<const cuda::Embedding> embedding_;
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, ForceList> lists_;  // by number of bodies; kept, since work may be going on with them
};

}  // namespace quartic::python
