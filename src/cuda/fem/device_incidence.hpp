// Owner of a block's incidences in device memory, where they are found.
#pragma once

#include <cstdint>

#include "cuda/base/runtime.hpp"
#include "cuda/fem/incidence_view.hpp"

namespace quartic::cuda {

class DeviceIncidence {
 public:
  /// Sorts a block's vertices, [element][corner], stably, so that each vertex' places are ascending. Doesn't
  /// synchronise.
  DeviceIncidence(const DeviceArray<std::int32_t>& vertices, std::int64_t vertex_count, cudaStream_t stream);
  [[nodiscard]] IncidenceView view() const { return {offsets_.data(), places_.data()}; }
  [[nodiscard]] const DeviceArray<std::int64_t>& offsets() const { return offsets_; }
  [[nodiscard]] const DeviceArray<std::int64_t>& places() const { return places_; }
  /// What one takes of the device's memory.
  [[nodiscard]] static std::size_t bytes(std::int64_t places, std::int64_t vertex_count) {
    return static_cast<std::size_t>(places + vertex_count + 1) * sizeof(std::int64_t);
  }

 private:
  DeviceArray<std::int64_t> offsets_, places_;
};

}  // namespace quartic::cuda
