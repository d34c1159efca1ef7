// The dense products that precomputation needs, on CBLAS. Column-major.
//
// Large ones are cut into pieces for the library's own threads, and BLAS works on one thread in each: its own threads
// wait for each other by spinning, which on a machine with other work takes many times as long as the work itself. The
// pieces follow from the sizes alone, so that results don't depend on the number of threads.
#pragma once

#include <Eigen/Core>

namespace quartic::blas {

using Eigen::MatrixXd;
using In = Eigen::Ref<const MatrixXd, 0, Eigen::OuterStride<>>;
using Out = Eigen::Ref<MatrixXd, 0, Eigen::OuterStride<>>;

/// C = beta C + alpha A B.
void multiply(double alpha, In a, In b, double beta, Out c);

/// A^T B.
[[nodiscard]] MatrixXd multiply_transposed(In a, In b);

/// Lower triangle of C += A^T A.
void rank_k_update_transposed(In a, Out c);

/// While an object of this kind lives, BLAS works on the threads that call it alone. They nest, and may live in several
/// threads at once.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
};

}  // namespace quartic::blas
