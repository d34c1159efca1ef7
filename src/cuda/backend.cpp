// What libquartic finds when it opens this library.
#include "core/base/cuda_library.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/batch/batch_operations.hpp"
#include "cuda/contact/world_operations.hpp"
#include "cuda/device/device_operations.hpp"
#include "cuda/factorization/factorization_operations.hpp"
#include "cuda/fem/fem_operations.hpp"
#include "cuda/modal/modal_operations.hpp"
#include "cuda/modes/modes_operations.hpp"
#include "cuda/reduction/reduction_operations.hpp"
#include "cuda/relaxation/relaxation_operations.hpp"
#include "quartic/export.hpp"
#include "quartic/version.hpp"

extern "C" QUARTIC_EXPORT const quartic::CudaLibrary* quartic_cuda_library() {
  static constexpr quartic::CudaLibrary library = {.version = quartic::version,
                                                   .require_device = quartic::cuda::require_device,
                                                   .fem = &quartic::cuda::fem_operations,
                                                   .factorization = &quartic::cuda::factorization_operations,
                                                   .modes = &quartic::cuda::modes_operations,
                                                   .reduction = &quartic::cuda::reduction_operations,
                                                   .relaxation = &quartic::cuda::relaxation_operations,
                                                   .batch = &quartic::cuda::batch_operations,
                                                   .modal = &quartic::cuda::modal_operations,
                                                   .device = &quartic::cuda::device_operations,
                                                   .worlds = &quartic::cuda::world_operations};
  return &library;
}
