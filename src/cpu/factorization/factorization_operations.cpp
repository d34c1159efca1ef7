#include "core/factorization/factorization_operations.hpp"

#include "cpu/factorization/cpu_factors.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

std::unique_ptr<FactorizationImpl> factorize(const SparseMatrix& matrix, const FactorizationOptions& options) {
  switch (options.method) {
    case FactorizationMethod::mumps:
      return cpu::factorize_mumps(matrix, options.updatable);
    case FactorizationMethod::eigen:
      return cpu::factorize_eigen(matrix);
    case FactorizationMethod::cudss:
    case FactorizationMethod::cusolver:
      throw InputError("cuDSS and cuSOLVER factorise on the backend 'cuda'; ask for it, or for another method");
    case FactorizationMethod::automatic:
      break;
  }
  return cpu::mumps_available() ? cpu::factorize_mumps(matrix, options.updatable) : cpu::factorize_eigen(matrix);
}

}  // namespace

constinit const FactorizationOperations cpu_factorization_operations = {.factorize = factorize,
                                                                        .factorize_assembled = nullptr};

}  // namespace quartic
