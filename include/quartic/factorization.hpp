// Sparse Cholesky factorisation of a symmetric positive definite matrix, and solves with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "quartic/backend.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

enum class FactorizationMethod : std::uint8_t {
  automatic,  ///< the fastest one available: MUMPS, else Eigen; on the backend cuda cuDSS, else cuSOLVER, else those
  mumps,      ///< MUMPS, multifrontal, blocked right-hand sides; on the CPU on either backend
  eigen,      ///< Eigen::SimplicialLLT; on the CPU on either backend
  cudss,      ///< cuDSS, blocked right-hand sides; only on the backend cuda
  cusolver    ///< cuSOLVER's csrchol, one right-hand side after the other; only on the backend cuda
};

struct FactorizationOptions {
  FactorizationMethod method = FactorizationMethod::automatic;
  Backend backend = Backend::cpu;  ///< where the factor is stored; cuda: on the current device
  bool updatable = false;          ///< keep what `update` needs: the pattern, for MUMPS 16 bytes per lower entry more
};

class FactorizationImpl;

/// Owns the factor of one matrix. Movable, not copyable; solves may not run concurrently on one object.
class QUARTIC_EXPORT Factorization {
 public:
  /// Analyses and factorises a symmetric positive definite matrix (both triangles stored).
  /// @throws NumericalError if a pivot isn't positive (the message says so), InputError if the matrix isn't square, its
  ///         method isn't in this build or isn't the backend's, BackendUnavailable, DeviceError if the device has too
  ///         little memory
  explicit Factorization(const SparseMatrix& matrix, const FactorizationOptions& options = {});
  /// Internal to quartic.
  explicit Factorization(std::unique_ptr<FactorizationImpl> impl);
  Factorization(Factorization&&) noexcept;
  Factorization& operator=(Factorization&&) noexcept;
  ~Factorization();

  /// Factorises another matrix with the same pattern; the symbolic analysis is reused.
  /// @throws InputError for another pattern, a number that isn't finite or an object that isn't `updatable`; the old
  ///         factor is kept then. NumericalError and DeviceError as the constructor, and `solve` throws InputError
  ///         until an update succeeds
  void update(const SparseMatrix& matrix);

  /// Overwrites B (rows x m) by A^-1 B, all columns at once. Allocates workspace in proportion to m.
  /// @throws InputError for another number of rows, DeviceError if the device fails or has too little memory
  void solve(Eigen::Ref<Eigen::MatrixXd> b) const;

  [[nodiscard]] std::int64_t rows() const;
  /// The solver: "MUMPS 5.5.1", "cuDSS 1.0.0"; "MUMPS 5.5.1 (CPU)" for MUMPS on the backend cuda.
  [[nodiscard]] std::string_view name() const;
  /// Entries of the factor L.
  [[nodiscard]] std::int64_t factor_nonzeros() const;

  /// Internal to quartic.
  [[nodiscard]] FactorizationImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<FactorizationImpl> impl_;
};

}  // namespace quartic
