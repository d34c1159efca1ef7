// The steps of fused_steps.cuh for bodies without chambers.
#include "cuda/batch/steps/fused_step.hpp"
#include "cuda/batch/steps/fused_steps.cuh"

namespace quartic::cuda {

template <class T>
void fused_steps(const BatchView<T>& batch, const StepSettings<T>& settings, int substeps, const StepShape& chunk,
                 const FusedShape& shape, cudaStream_t stream) {
  if (chunk.has_chambers) return fused_chamber_steps(batch, settings, substeps, chunk, shape, stream);
  start_fused<false>(batch, settings, substeps, chunk, shape, stream);
}

template <class T>
void prepare_fused_steps(std::size_t shared_bytes) {
  prepare_fused<T, false>(shared_bytes);
}

template void fused_steps(const BatchView<float>&, const StepSettings<float>&, int, const StepShape&, const FusedShape&,
                          cudaStream_t);
template void fused_steps(const BatchView<double>&, const StepSettings<double>&, int, const StepShape&,
                          const FusedShape&, cudaStream_t);
template void prepare_fused_steps<float>(std::size_t);
template void prepare_fused_steps<double>(std::size_t);

}  // namespace quartic::cuda
