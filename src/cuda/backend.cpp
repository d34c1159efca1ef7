// What libquartic finds when it opens this library.
#include "core/base/cuda_backend.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/batch/batch.hpp"
#include "cuda/factorization/device_factor.hpp"
#include "cuda/fem/assembly.hpp"
#include "cuda/fem/force_hessian.hpp"
#include "cuda/modes/elastic_system.hpp"
#include "cuda/modes/reduction_memory.hpp"
#include "cuda/reduction/reduce_energy.hpp"
#include "quartic/version.hpp"

namespace quartic::cuda {
namespace {

template <class T>
std::unique_ptr<BatchImpl<T>> make_batch(std::vector<BodyGroup> groups, const BatchOptions& options) {
  return std::make_unique<CudaBatch<T>>(std::move(groups), options);
}

std::unique_ptr<FactorizationImpl> factorize_on_device(const SparseMatrix& matrix,
                                                       const FactorizationOptions& options) {
  return std::make_unique<CudaFactorization>(matrix, options);
}

std::unique_ptr<DeviceMatrices> assemble(const MeshImage& mesh, std::span<const Incidence> incidences,
                                         const MeshPattern& pattern, MassMatrix kind) {
  return std::make_unique<CudaElasticMatrices>(mesh, incidences, pattern, kind);
}

std::unique_ptr<FactorizationImpl> factorize_assembled(const DeviceMatrices& matrices, double shift,
                                                       const FactorizationOptions& options) {
  return std::make_unique<CudaFactorization>(static_cast<const CudaElasticMatrices&>(matrices), shift, options);
}

std::unique_ptr<DeviceSystem> make_system(const ElasticSystem::Impl& system) {
  return std::make_unique<CudaElasticSystem>(system);
}

}  // namespace
}  // namespace quartic::cuda

extern "C" QUARTIC_EXPORT const quartic::CudaBackend* quartic_cuda_backend() {
  static constexpr quartic::CudaBackend backend = {.version = quartic::version,
                                                   .require_device = quartic::cuda::require_device,
                                                   .make_float_batch = quartic::cuda::make_batch<float>,
                                                   .make_double_batch = quartic::cuda::make_batch<double>,
                                                   .reduce_energies = quartic::cuda::reduce_energies,
                                                   .force_hessian = quartic::cuda::force_hessian,
                                                   .stiffness_blocks = quartic::cuda::stiffness_blocks,
                                                   .masses = quartic::cuda::masses,
                                                   .factorize = quartic::cuda::factorize_on_device,
                                                   .require_reduction_memory = quartic::cuda::require_reduction_memory,
                                                   .assemble = quartic::cuda::assemble,
                                                   .factorize_assembled = quartic::cuda::factorize_assembled,
                                                   .make_system = quartic::cuda::make_system};
  return &backend;
}
