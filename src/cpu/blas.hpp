// The dense products that precomputation needs, on CBLAS: large ones run at its speed, on its threads. Column-major.
#pragma once

#include <cblas.h>

#include <Eigen/Core>
#include <vector>

extern "C" void dgeqrf_(const int* rows, const int* cols, double* a, const int* stride, double* tau, double* work,
                        const int* work_size, int* info);

namespace quartic::blas {

using Eigen::MatrixXd;
using In = Eigen::Ref<const MatrixXd, 0, Eigen::OuterStride<>>;
using Out = Eigen::Ref<MatrixXd, 0, Eigen::OuterStride<>>;

[[nodiscard]] inline int size(Eigen::Index n) {
  return static_cast<int>(n);
}

/// C = beta C + alpha A B.
inline void multiply(double alpha, In a, In b, double beta, Out c) {
  if (c.size() == 0) return;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size(c.rows()), size(c.cols()), size(a.cols()), alpha,
              a.data(), size(a.outerStride()), b.data(), size(b.outerStride()), beta, c.data(), size(c.outerStride()));
}

/// A^T B.
[[nodiscard]] inline MatrixXd multiply_transposed(In a, In b) {
  MatrixXd c = MatrixXd::Zero(a.cols(), b.cols());
  if (c.size() == 0 || a.rows() == 0) return c;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, size(a.cols()), size(b.cols()), size(a.rows()), 1.0, a.data(),
              size(a.outerStride()), b.data(), size(b.outerStride()), 0.0, c.data(), size(c.rows()));
  return c;
}

/// Lower triangle of C += A^T A.
inline void rank_k_update_transposed(In a, Out c) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, size(c.rows()), size(a.rows()), 1.0, a.data(),
              size(a.outerStride()), 1.0, c.data(), size(c.outerStride()));
}

/// Overwrites A, which has at least as many rows as columns, by the triangle of its QR factorisation, zeros below it in
/// the first A.cols() rows.
inline void triangularize(Out a) {
  const int rows = size(a.rows()), cols = size(a.cols()), stride = size(a.outerStride());
  int info = 0, query = -1;
  double best_size = 0;
  std::vector<double> tau(static_cast<std::size_t>(cols));
  dgeqrf_(&rows, &cols, a.data(), &stride, tau.data(), &best_size, &query, &info);
  std::vector<double> work(static_cast<std::size_t>(best_size));
  const int work_size = static_cast<int>(best_size);
  dgeqrf_(&rows, &cols, a.data(), &stride, tau.data(), work.data(), &work_size, &info);
  a.topRows(a.cols()).triangularView<Eigen::StrictlyLower>().setZero();
}

}  // namespace quartic::blas
