#include "core/algebra/dense.hpp"

#include <cblas.h>

#include <algorithm>
#include <limits>
#include <string>

#include "quartic/error.hpp"

// LAPACK's Fortran: all arguments are pointers, and the lengths of the strings come last.
extern "C" {
void dsyevd_(const char* vectors, const char* triangle, const int* n, double* a, const int* stride, double* values,
             double* work, const int* work_size, int* integers, const int* integers_size, int* info, std::size_t,
             std::size_t);
void dsygvd_(const int* type, const char* vectors, const char* triangle, const int* n, double* a, const int* a_stride,
             double* b, const int* b_stride, double* values, double* work, const int* work_size, int* integers,
             const int* integers_size, int* info, std::size_t, std::size_t);
void dgesdd_(const char* vectors, const int* rows, const int* cols, double* a, const int* stride, double* values,
             double* u, const int* u_stride, double* vt, const int* vt_stride, double* work, const int* work_size,
             int* integers, int* info, std::size_t);
void dgeqrf_(const int* rows, const int* cols, double* a, const int* stride, double* tau, double* work,
             const int* work_size, int* info);
void dpotrf_(const char* triangle, const int* n, double* a, const int* stride, int* info, std::size_t);
void dgetrf_(const int* rows, const int* cols, double* a, const int* stride, int* exchanges, int* info);
void dgetrs_(const char* transposed, const int* n, const int* columns, const double* a, const int* stride,
             const int* exchanges, double* x, const int* x_stride, int* info, std::size_t);
}

namespace quartic::dense {
namespace {

using blas::OneThread;
using Eigen::Index;

// LAPACK's numbers are ints, and the size of the workspace for a matrix of order n is one of them.
void require_int(Index n, double number) {
  if (!(number >= 0 && number <= std::numeric_limits<int>::max()))
    throw InputError("a dense matrix of order " + std::to_string(n) + " is too large for LAPACK; ask for fewer modes");
}

int lapack_size(Index n) {
  require_int(n, static_cast<double>(n));
  return static_cast<int>(n);
}

// Some of LAPACK's iterations never end on such numbers.
void require_finite(const blas::In& a) {
  if (!a.allFinite()) throw NumericalError("a matrix that is to be decomposed has an entry that isn't a finite number");
}

void require_converged(int info, const char* routine) {
  if (info != 0) throw NumericalError(std::string(routine) + " of LAPACK gave up (info " + std::to_string(info) + ")");
}

// What dsyevd and dsygvd want at least, and dgesdd for min(m, n) = n.
double eigen_work(double n) {
  return 1 + 6 * n + 2 * n * n;
}
double svd_work(double n) {
  return 7 * n + 4 * n * n;
}

// Calls routine(work, work_size, integers, integers_size) twice: for the sizes that it wants, and to do its work.
// @param n order of the matrix
// @param least_work which LAPACK itself computes as an int, without a check
template <class Routine>
void with_workspace(Index n, double least_work, const Routine& routine) {
  require_int(n, least_work);
  const OneThread one;
  const int query = -1;
  double work_wanted = 0;
  int integers_wanted = 0;
  routine(&work_wanted, &query, &integers_wanted, &query);
  require_int(n, work_wanted);
  const int work_size = static_cast<int>(work_wanted);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> integers(static_cast<std::size_t>(integers_wanted));
  routine(work.data(), &work_size, integers.data(), &integers_wanted);
}

}  // namespace

void eigenvectors_in_place(blas::Out a, Eigen::Ref<VectorXd> values) {
  if (a.size() == 0) return;
  require_finite(a);
  const int n = lapack_size(a.rows()), stride = lapack_size(a.outerStride());
  int info = 0;
  with_workspace(n, eigen_work(n), [&](double* work, const int* work_size, int* integers, const int* integers_size) {
    dsyevd_("V", "L", &n, a.data(), &stride, values.data(), work, work_size, integers, integers_size, &info, 1, 1);
  });
  require_converged(info, "dsyevd");
}

bool eigenvectors_in_place(blas::Out a, blas::Out b, Eigen::Ref<VectorXd> values) {
  if (a.size() == 0) return true;
  require_finite(a);
  require_finite(b);
  const int n = lapack_size(a.rows()), a_stride = lapack_size(a.outerStride()), b_stride = lapack_size(b.outerStride());
  const int type = 1;  // A x = lambda B x
  int info = 0;
  with_workspace(n, eigen_work(n), [&](double* work, const int* work_size, int* integers, const int* integers_size) {
    dsygvd_(&type, "V", "L", &n, a.data(), &a_stride, b.data(), &b_stride, values.data(), work, work_size, integers,
            integers_size, &info, 1, 1);
  });
  if (info > n) return false;
  require_converged(info, "dsygvd");
  return true;
}

Svd svd(MatrixXd a) {
  const int rows = lapack_size(a.rows()), cols = lapack_size(a.cols()), count = std::min(rows, cols);
  Svd result{MatrixXd(rows, count), VectorXd(count), MatrixXd(count, cols)};
  if (count == 0) return result;
  require_finite(a);
  std::vector<int> integers(8 * static_cast<std::size_t>(count));
  int info = 0;
  with_workspace(count, svd_work(count), [&](double* work, const int* work_size, int*, const int*) {
    dgesdd_("S", &rows, &cols, a.data(), &rows, result.values.data(), result.u.data(), &rows,
            result.v_transposed.data(), &count, work, work_size, integers.data(), &info, 1);
  });
  require_converged(info, "dgesdd");
  return result;
}

void triangularize(blas::Out a) {
  const int rows = lapack_size(a.rows()), cols = lapack_size(a.cols()), stride = lapack_size(a.outerStride());
  int info = 0;
  std::vector<double> tau(static_cast<std::size_t>(cols));
  with_workspace(cols, cols, [&](double* work, const int* work_size, int*, const int*) {
    dgeqrf_(&rows, &cols, a.data(), &stride, tau.data(), work, work_size, &info);
  });
  a.topRows(a.cols()).triangularView<Eigen::StrictlyLower>().setZero();
}

// ---- Cholesky ------------------------------------------------------------------------------------------------

std::optional<Cholesky> cholesky(MatrixXd a) {
  if (a.size() == 0) return Cholesky(std::move(a));
  if (!a.allFinite()) return std::nullopt;
  const OneThread one;
  const int n = lapack_size(a.rows());
  int info = 0;
  dpotrf_("L", &n, a.data(), &n, &info, 1);
  if (info != 0 || !a.diagonal().allFinite()) return std::nullopt;  // OpenBLAS takes NaN for a positive pivot
  return Cholesky(std::move(a));
}

void Cholesky::solve(blas::Out x) const {
  if (x.size() == 0) return;
  const OneThread one;
  for (const CBLAS_TRANSPOSE transposed : {CblasNoTrans, CblasTrans})
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transposed, CblasNonUnit, lapack_size(x.rows()),
                lapack_size(x.cols()), 1.0, factor_.data(), lapack_size(factor_.rows()), x.data(),
                lapack_size(x.outerStride()));
}

void Cholesky::orthonormalize(blas::Out x) const {
  if (x.size() == 0) return;
  const OneThread one;
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, lapack_size(x.rows()),
              lapack_size(x.cols()), 1.0, factor_.data(), lapack_size(factor_.rows()), x.data(),
              lapack_size(x.outerStride()));
}

// ---- LU ------------------------------------------------------------------------------------------------------

std::optional<Lu> lu(MatrixXd a, double least_pivot) {
  if (a.size() == 0) return Lu(std::move(a), {});
  if (!a.allFinite()) return std::nullopt;
  const OneThread one;
  const int n = lapack_size(a.rows());
  int info = 0;
  std::vector<int> exchanges(static_cast<std::size_t>(n));
  dgetrf_(&n, &n, a.data(), &n, exchanges.data(), &info);
  const Eigen::ArrayXd pivots = a.diagonal().cwiseAbs();
  if (info != 0 || !a.allFinite() || !(pivots.minCoeff() > least_pivot * pivots.maxCoeff())) return std::nullopt;
  return Lu(std::move(a), std::move(exchanges));
}

void Lu::solve(blas::Out x) const {
  if (x.size() == 0) return;
  const OneThread one;
  const int n = lapack_size(factors_.rows()), columns = lapack_size(x.cols()), stride = lapack_size(x.outerStride());
  int info = 0;
  dgetrs_("N", &n, &columns, factors_.data(), &n, exchanges_.data(), x.data(), &stride, &info, 1);
}

MatrixXd Lu::inverse() const {
  MatrixXd x = MatrixXd::Identity(factors_.rows(), factors_.cols());
  solve(x);
  return x;
}

}  // namespace quartic::dense
