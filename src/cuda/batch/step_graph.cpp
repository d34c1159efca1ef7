#include "cuda/batch/step_graph.hpp"

#include "cuda/base/runtime.hpp"

namespace quartic::cuda {
namespace {

// Making a larger graph would take longer than it saves.
constexpr std::int64_t most_graph_launches = 4096;

}  // namespace

StepGraph::~StepGraph() {
  forget();
}

void StepGraph::forget() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  graph_ = nullptr;
  substeps_ = 0;
}

void StepGraph::run(double dt, int substeps, cudaStream_t stream, cudaStream_t own_stream,
                    const std::function<void(cudaStream_t)>& launch_all) {
  if (dt != dt_ || substeps != substeps_) {
    forget();
    const std::int64_t before = launch_count();
    launch_all(stream);
    launches_ = launch_count() - before;
    dt_ = dt, substeps_ = substeps;
    return;
  }
  if (launches_ > most_graph_launches) return launch_all(stream);
  if (graph_ == nullptr) make(own_stream, launch_all);
  check(cudaGraphLaunch(graph_, stream), "launch the graph of a step");
}

void StepGraph::make(cudaStream_t stream, const std::function<void(cudaStream_t)>& launch_all) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture a step");
  try {
    launch_all(stream);
  } catch (...) {
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "capture a step");
  const cudaError_t result = cudaGraphInstantiate(&graph_, graph, 0);
  cudaGraphDestroy(graph);
  check(result, "make the graph of a step");
}

}  // namespace quartic::cuda
