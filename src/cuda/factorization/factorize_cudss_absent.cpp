// Stands in for factorize_cudss.cpp where the headers of cuDSS weren't found.
#include "cuda/factorization/device_factor.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {

namespace {

[[noreturn]] void refuse() {
  throw BackendUnavailable(
      "this build of quartic has no cuDSS; use another method of factorisation, or install cuDSS (pip package "
      "nvidia-cudss-cu13) and build again");
}

}  // namespace

std::unique_ptr<DeviceFactor> factorize_cudss(const SparseMatrix& /*matrix*/, bool /*updatable*/,
                                              cudaStream_t /*stream*/) {
  refuse();
}

std::unique_ptr<DeviceFactor> factorize_cudss(const SystemMatrix& /*matrix*/, cudaStream_t /*stream*/) {
  refuse();
}

}  // namespace quartic::cuda
