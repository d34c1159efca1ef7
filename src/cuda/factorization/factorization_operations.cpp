#include "cuda/factorization/factorization_operations.hpp"

#include "cuda/factorization/device_factor.hpp"

namespace quartic::cuda {
namespace {

std::unique_ptr<FactorizationImpl> factorize(const SparseMatrix& matrix, const FactorizationOptions& options) {
  return std::make_unique<CudaFactorization>(matrix, options);
}

std::unique_ptr<FactorizationImpl> factorize_assembled(const DeviceMatrices& matrices, double shift,
                                                       const FactorizationOptions& options) {
  return std::make_unique<CudaFactorization>(dynamic_cast<const CudaElasticMatrices&>(matrices), shift, options);
}

}  // namespace

constinit const FactorizationOperations factorization_operations = {.factorize = factorize,
                                                                    .factorize_assembled = factorize_assembled};

}  // namespace quartic::cuda
