// Steps of bodies one by one: a cluster of blocks per body, or one block, and all substeps of a call in one launch.
//
// Block 0 holds the state, a row per thread, in registers, and integrates as the kernels for tiles do
// (implicit_step.cu, central_differences_step.cu, energy_conserving_step.cu), with other orders of summation; the other
// blocks help to evaluate H (latency_body.cuh). Per substep and Newton iteration: 2 h_rows (r+1)(r+2)/2 flops of the
// evaluation, shared out, and r^3/3 + 4 r^2 in block 0, whose chain of r/4 panels is the longest part.
#include "cuda/batch/steps/free_latency_stepper.cuh"
#include "cuda/batch/steps/latency_stepper.cuh"
#include "cuda/batch/steps/latency_steps.hpp"

namespace quartic::cuda {
namespace {

template <class T, bool clustered, template <class, bool> class Stepper>
__device__ void step_body(const LatencySteps<T>& steps) {
  const int blocks = Cluster<clustered>::size();
  const std::int64_t number = steps.first_body + static_cast<int>(blockIdx.x) / blocks;
  if (steps.batch.status[number] == status_diverged) return;  // all blocks of the cluster
  LatencyBody<T, clustered> body(steps, steps.batch.models[steps.model]);
  body.begin();
  if (Cluster<clustered>::rank() > 0) return body.serve();
  Stepper<T, clustered> stepper(steps, body, number);
  stepper.run();
  body.stop();
}

template <class T, bool clustered>
__global__ void __launch_bounds__(latency_threads, 1) step_bodies(const LatencySteps<T> steps) {
  step_body<T, clustered, LatencyStepper>(steps);
}
template <class T, bool clustered>
__global__ void __launch_bounds__(latency_threads, 1) step_free_bodies(const LatencySteps<T> steps) {
  step_body<T, clustered, FreeLatencyStepper>(steps);
}

}  // namespace

template <class T>
bool can_start(const LatencyPlan& plan) {
  if (plan.blocks == 1) return true;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(plan.blocks), 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(plan.blocks)), config.blockDim = dim3(latency_threads);
  config.dynamicSmemBytes = plan.shared_bytes;
  config.attrs = &cluster, config.numAttrs = 1;
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, step_bodies<T, true>, &config), "ask for room for clusters");
  return clusters > 0;
}

template <class T>
void latency_steps(const LatencySteps<T>& steps, cudaStream_t stream) {
  const int blocks = steps.plan.blocks;
  const LaunchShape shape{dim3(static_cast<unsigned>(steps.bodies * blocks)), dim3(latency_threads),
                          steps.plan.shared_bytes, blocks};
  if (steps.has_frame)
    launch(blocks > 1 ? step_free_bodies<T, true> : step_free_bodies<T, false>, shape, stream, steps);
  else
    launch(blocks > 1 ? step_bodies<T, true> : step_bodies<T, false>, shape, stream, steps);
}

template <class T>
void prepare_latency_steps(std::size_t shared_bytes) {
  for (const auto kernel :
       {step_bodies<T, false>, step_bodies<T, true>, step_free_bodies<T, false>, step_free_bodies<T, true>})
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
          "reserve shared memory");
}

bool has_clusters() {
  int device = 0, supported = 0;
  check(cudaGetDevice(&device), "find the current device");
  check(cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, device), "ask for a property of the device");
  cudaFuncAttributes attributes = {};
  check(cudaFuncGetAttributes(&attributes, step_bodies<float, true>), "look at a kernel");
  return supported != 0 && attributes.ptxVersion >= 90;  // code for older devices is without clusters
}

template void latency_steps(const LatencySteps<float>&, cudaStream_t);
template void latency_steps(const LatencySteps<double>&, cudaStream_t);
template bool can_start<float>(const LatencyPlan&);
template bool can_start<double>(const LatencyPlan&);
template void prepare_latency_steps<float>(std::size_t);
template void prepare_latency_steps<double>(std::size_t);

}  // namespace quartic::cuda
