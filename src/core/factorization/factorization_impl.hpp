// What stands behind Factorization: one class per method.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string_view>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// Thrown for pivots that aren't positive, for callers that mend the matrix and try again.
class QUARTIC_EXPORT NotPositiveDefinite final : public NumericalError {
 public:
  using NumericalError::NumericalError;
  ~NotPositiveDefinite() override;
};

/// The factor of one matrix. Whoever makes one throws NotPositiveDefinite if a pivot isn't positive.
class FactorizationImpl {
 public:
  FactorizationImpl() = default;
  FactorizationImpl(const FactorizationImpl&) = delete;
  FactorizationImpl& operator=(const FactorizationImpl&) = delete;
  virtual ~FactorizationImpl() = default;
  /// The factor of another matrix of the same pattern; only if made updatable.
  virtual void update(const SparseMatrix& matrix) = 0;
  /// B <- A^-1 B.
  virtual void solve(Eigen::Ref<Eigen::MatrixXd> b) = 0;
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::int64_t factor_nonzeros() const = 0;
  /// Why the CPU factorises for another backend though nobody asked for that; empty if it isn't so.
  [[nodiscard]] virtual std::string_view fallback() const { return {}; }

  /// What Factorization notes for its checks.
  bool complete = true;                            ///< false after an update that failed
  std::vector<std::int32_t> row_offsets, columns;  ///< the pattern; empty unless made updatable
};

}  // namespace quartic
