#include <algorithm>
#include <cmath>
#include <string>

#include "core/backend_checks.hpp"
#include "core/factorization_impl.hpp"
#include "core/sparse_check.hpp"
#include "quartic/error.hpp"
#include "quartic/factorization.hpp"

namespace quartic {
namespace {

void require_factorizable(const SparseMatrix& matrix) {
  if (matrix.rows != matrix.cols || matrix.rows == 0)
    throw InputError("only a square matrix can be factorised; this one has " + std::to_string(matrix.rows) +
                     " rows and " + std::to_string(matrix.cols) + " columns");
  require_well_formed(matrix, "the matrix to be factorised");
  if (!std::all_of(matrix.values.begin(), matrix.values.end(), [](double x) { return std::isfinite(x); }))
    throw InputError("the matrix to be factorised has an entry that isn't a finite number");
}

std::unique_ptr<FactorizationImpl> factorize(const SparseMatrix& matrix, const FactorizationOptions& options) {
  require_cpu(options.backend, "factorisation");
  require_factorizable(matrix);
  switch (options.method) {
    case FactorizationMethod::mumps:
      return factorize_mumps(matrix);
    case FactorizationMethod::eigen:
      return factorize_eigen(matrix);
    case FactorizationMethod::automatic:
      break;
  }
  return mumps_available() ? factorize_mumps(matrix) : factorize_eigen(matrix);
}

}  // namespace

Factorization::Factorization(const SparseMatrix& matrix, const FactorizationOptions& options)
    : impl_(factorize(matrix, options)) {}
Factorization::Factorization(Factorization&&) noexcept = default;
Factorization& Factorization::operator=(Factorization&&) noexcept = default;
Factorization::~Factorization() = default;

void Factorization::solve(Eigen::Ref<Eigen::MatrixXd> b) const {
  if (b.rows() != rows())
    throw InputError("the right-hand sides have " + std::to_string(b.rows()) + " rows, but the factorised matrix has " +
                     std::to_string(rows()));
  if (b.cols() > 0) impl_->solve(b);
}

std::int64_t Factorization::rows() const {
  return impl_->rows();
}

std::string_view Factorization::name() const {
  return impl_->name();
}

std::int64_t Factorization::factor_nonzeros() const {
  return impl_->factor_nonzeros();
}

}  // namespace quartic
