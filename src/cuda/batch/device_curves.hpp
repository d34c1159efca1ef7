// The load curves of a batch in device memory.
#pragma once

#include <cstdint>
#include <span>

#include "cuda/batch/steps/load_curves.hpp"
#include "quartic/batch.hpp"

namespace quartic::cuda {

/// Curves and scales of a batch; all empty if no body has a curve.
template <class T>
struct DeviceCurves {
  DeviceArray<double> times, scales;
  DeviceArray<std::int64_t> starts;
  DeviceArray<std::int32_t> curve_of_body;
  DeviceArray<T> start_scale, end_scale;  // shape (B)

  DeviceCurves() = default;
  DeviceCurves(std::span<const LoadCurve> curves, std::span<const std::int32_t> curve_of_body, cudaStream_t stream);
  [[nodiscard]] CurveView view() const { return {times.data(), scales.data(), starts.data(), curve_of_body.data()}; }
};

}  // namespace quartic::cuda
