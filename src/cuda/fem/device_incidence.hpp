// Owner of a block's incidences in device memory.
#pragma once

#include "core/fem/incidence.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/fem/incidence_view.hpp"

namespace quartic::cuda {

class DeviceIncidence {
 public:
  DeviceIncidence(const Incidence& incidence, cudaStream_t stream)
      : offsets_(std::span<const std::int64_t>(incidence.offsets), stream),
        places_(std::span<const std::int64_t>(incidence.places), stream) {}
  [[nodiscard]] IncidenceView view() const { return {offsets_.data(), places_.data()}; }

 private:
  DeviceArray<std::int64_t> offsets_, places_;
};

}  // namespace quartic::cuda
