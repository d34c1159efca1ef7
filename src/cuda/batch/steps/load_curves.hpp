// Factors of forces over time, on the device.
#pragma once

#include <cstdint>

#include "cuda/base/runtime.hpp"
#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

/// All curves one after the other.
struct CurveView {
  const double *times, *scales;
  const std::int64_t* starts;         // shape (curves + 1)
  const std::int32_t* curve_of_body;  // shape (B), -1 for none
};

/// The scales of the bodies of all tiles at both ends of a substep that starts at the time on the device.
template <class T>
void scale_forces(const BatchView<T>& batch, const CurveView& curves, const double* time, double dt, T* start_scale,
                  T* end_scale, int tiles, cudaStream_t stream);

void copy_time(const double* from, double* to, cudaStream_t stream);

/// Adds dt to the time so often, one after the other.
void advance_time(double* time, double dt, int substeps, cudaStream_t stream);

}  // namespace quartic::cuda
