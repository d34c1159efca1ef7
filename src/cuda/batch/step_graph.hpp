// The launches of a step as a CUDA graph, which starts them at the cost of one.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>

namespace quartic::cuda {

/// Keeps the graph of the last (dt, substeps) that came twice in a row. Steps that change all the time are launched one
/// kernel at a time, since making a graph takes longer than using it; so are those of very many launches.
class StepGraph {
 public:
  StepGraph() = default;
  ~StepGraph();
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  /// Runs in `stream` what `launch_all(stream)` launches, which must depend on dt and substeps alone.
  /// @param own_stream for recording, since a caller's stream may be one that can't
  void run(double dt, int substeps, cudaStream_t stream, cudaStream_t own_stream,
           const std::function<void(cudaStream_t)>& launch_all);
  /// After a change of what the launches depend on.
  void forget();

 private:
  void make(cudaStream_t stream, const std::function<void(cudaStream_t)>& launch_all);

  cudaGraphExec_t graph_ = nullptr;
  double dt_ = 0;
  int substeps_ = 0;
  std::int64_t launches_ = 0;  // that these take
};

}  // namespace quartic::cuda
