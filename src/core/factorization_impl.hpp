// What stands behind Factorization: one class per method.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string_view>

#include "quartic/matrix.hpp"

namespace quartic {

/// The factor of one matrix. Made by the functions below, which throw NumericalError if a pivot isn't positive.
class FactorizationImpl {
 public:
  FactorizationImpl() = default;
  FactorizationImpl(const FactorizationImpl&) = delete;
  FactorizationImpl& operator=(const FactorizationImpl&) = delete;
  virtual ~FactorizationImpl() = default;
  /// B <- A^-1 B.
  virtual void solve(Eigen::Ref<Eigen::MatrixXd> b) = 0;
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::int64_t factor_nonzeros() const = 0;
};

/// True if MUMPS is in this build.
[[nodiscard]] bool mumps_available();

/// @throws InputError if MUMPS isn't in this build
[[nodiscard]] std::unique_ptr<FactorizationImpl> factorize_mumps(const SparseMatrix& matrix);
[[nodiscard]] std::unique_ptr<FactorizationImpl> factorize_eigen(const SparseMatrix& matrix);

}  // namespace quartic
