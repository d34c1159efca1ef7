// Whether kernels of this library can run.
#pragma once

namespace quartic::cuda {

/// Whether this library has code for the current device.
[[nodiscard]] bool has_code();

}  // namespace quartic::cuda
