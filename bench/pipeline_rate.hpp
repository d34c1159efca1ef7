// How fast the baseline steps bodies, measured in the run of what is compared with it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>

namespace quartic::measure {

/// Seconds that the device takes for what `work` starts in the stream.
using DeviceSeconds = std::function<double(const std::function<void()>& work)>;

/// Steps of bodies per second, or why they couldn't be measured.
struct PipelineRate {
  double bodies_per_second = 0;
  std::string missing;
};

/// Of LibraryPipeline on sample_energy(rank), `substeps` at a time; measured once for each rank and number of bodies,
/// then remembered. The better counts of launches one by one and, where the libraries let their calls be captured, of a
/// graph of them. Checks first that two steps lead where Batch's do, but for 1e-4 (1e-11 in double) of the largest q.
/// There is none without the libraries, with too little memory, a matrix for each body, and where the check fails.
template <class T>
[[nodiscard]] const PipelineRate& pipeline_rate(int rank, std::int64_t bodies, int substeps, cudaStream_t stream,
                                                const DeviceSeconds& device_seconds);

}  // namespace quartic::measure
