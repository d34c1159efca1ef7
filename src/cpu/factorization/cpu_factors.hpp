// Factors on the CPU: one function per method.
#pragma once

#include <memory>

#include "core/factorization/factorization_impl.hpp"
#include "quartic/factorization.hpp"

namespace quartic::cpu {

/// True if MUMPS is in this build.
[[nodiscard]] bool mumps_available();

/// @throws NotPositiveDefinite; InputError if MUMPS isn't in this build
[[nodiscard]] std::unique_ptr<FactorizationImpl> factorize_mumps(const SparseMatrix& matrix, bool updatable);
[[nodiscard]] std::unique_ptr<FactorizationImpl> factorize_eigen(const SparseMatrix& matrix);

}  // namespace quartic::cpu
