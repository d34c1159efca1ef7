#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/algebra/sparse_check.hpp"
#include "core/factorization/factorization_impl.hpp"
#include "core/factorization/factorization_operations.hpp"
#include "quartic/error.hpp"
#include "quartic/factorization.hpp"

namespace quartic {

// The key function: the backend's library throws it, this one catches it.
NotPositiveDefinite::~NotPositiveDefinite() = default;

namespace {

void require_factorizable(const SparseMatrix& matrix) {
  if (matrix.rows != matrix.cols || matrix.rows == 0)
    throw InputError("only a square matrix can be factorised; this one has " + std::to_string(matrix.rows) +
                     " rows and " + std::to_string(matrix.cols) + " columns");
  require_well_formed(matrix, "the matrix to be factorised");
  if (!std::all_of(matrix.values.begin(), matrix.values.end(), [](double x) { return std::isfinite(x); }))
    throw InputError("the matrix to be factorised has an entry that isn't a finite number");
}

std::unique_ptr<FactorizationImpl> make_factor(const SparseMatrix& matrix, const FactorizationOptions& options) {
  require_factorizable(matrix);
  return factorization_operations(options.backend).factorize(matrix, options);
}

}  // namespace

Factorization::Factorization(const SparseMatrix& matrix, const FactorizationOptions& options)
    : impl_(make_factor(matrix, options)) {
  if (!options.updatable) return;
  impl_->row_offsets = matrix.row_offsets;
  impl_->columns = matrix.columns;
}
Factorization::Factorization(std::unique_ptr<FactorizationImpl> impl) : impl_(std::move(impl)) {}
Factorization::Factorization(Factorization&&) noexcept = default;
Factorization& Factorization::operator=(Factorization&&) noexcept = default;
Factorization::~Factorization() = default;

void Factorization::update(const SparseMatrix& matrix) {
  if (impl_->row_offsets.empty())
    throw InputError("this factorisation kept nothing for updates; make it with FactorizationOptions::updatable");
  require_factorizable(matrix);
  if (matrix.row_offsets != impl_->row_offsets || matrix.columns != impl_->columns)
    throw InputError("only a matrix with the pattern of the first one can be factorised in its place");
  impl_->complete = false;
  impl_->update(matrix);
  impl_->complete = true;
}

void Factorization::solve(Eigen::Ref<Eigen::MatrixXd> b) const {
  if (b.rows() != rows())
    throw InputError("the right-hand sides have " + std::to_string(b.rows()) + " rows, but the factorised matrix has " +
                     std::to_string(rows()));
  if (!impl_->complete) throw InputError("there is no factor to solve with: the last update failed");
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
