#include "core/algebra/blas.hpp"

#include <cblas.h>
#include <pthread.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/thread_pool.hpp"

namespace quartic::blas {
namespace {

using Eigen::Index;

constexpr Index rows_per_piece = 4096;
constexpr Index most_pieces = 64;         // of a sum over rows, whose parts are kept until they are added
constexpr Index columns_per_block = 192;  // of a rank-k update: wide enough for BLAS' speed

[[nodiscard]] int blas_size(Index n) {
  return static_cast<int>(n);
}

/// Calls body(piece, begin, end) for pieces of 0 .. count-1.
template <class Body>
void for_pieces(Index count, Index length, const Body& body) {
  parallel_for((count + length - 1) / length,
               [&](Index piece) { body(piece, piece * length, std::min(count, (piece + 1) * length)); });
}

}  // namespace

void multiply(double alpha, In a, In b, double beta, Out c) {
  if (c.size() == 0) return;
  if (a.cols() == 0) {  // BLAS demands a stride of at least one
    c *= beta;
    return;
  }
  const OneThread one;
  for_pieces(c.rows(), rows_per_piece, [&](Index, Index begin, Index end) {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, blas_size(end - begin), blas_size(c.cols()),
                blas_size(a.cols()), alpha, a.data() + begin, blas_size(a.outerStride()), b.data(),
                blas_size(b.outerStride()), beta, c.data() + begin, blas_size(c.outerStride()));
  });
}

MatrixXd multiply_transposed(In a, In b) {
  MatrixXd c = MatrixXd::Zero(a.cols(), b.cols());
  if (c.size() == 0 || a.rows() == 0) return c;
  const OneThread one;
  const Index length = std::max(rows_per_piece, (a.rows() + most_pieces - 1) / most_pieces);
  std::vector<MatrixXd> parts(static_cast<std::size_t>((a.rows() + length - 1) / length), c);
  for_pieces(a.rows(), length, [&](Index piece, Index begin, Index end) {
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_size(a.cols()), blas_size(b.cols()),
                blas_size(end - begin), 1.0, a.data() + begin, blas_size(a.outerStride()), b.data() + begin,
                blas_size(b.outerStride()), 0.0, parts[static_cast<std::size_t>(piece)].data(), blas_size(c.rows()));
  });
  for (const MatrixXd& part : parts) c += part;
  return c;
}

void rank_k_update_transposed(In a, Out c) {
  if (c.size() == 0 || a.rows() == 0) return;
  const OneThread one;
  const Index blocks = std::max<Index>(c.rows() > 1 ? 2 : 1, (c.rows() + columns_per_block - 1) / columns_per_block);
  const Index width = (c.rows() + blocks - 1) / blocks;
  const auto columns = [&](Index block) { return std::clamp<Index>(c.rows() - block * width, 0, width); };
  parallel_for(blocks * (blocks + 1) / 2, [&](Index task) {
    Index i = 0;  // task = i (i + 1) / 2 + j, j <= i
    while ((i + 1) * (i + 2) / 2 <= task) ++i;
    const Index j = task - i * (i + 1) / 2;
    if (columns(i) == 0) return;
    const double *left = a.col(i * width).data(), *right = a.col(j * width).data();
    double* out = &c(i * width, j * width);
    const int stride = blas_size(a.outerStride()), out_stride = blas_size(c.outerStride());
    if (i == j)
      cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, blas_size(columns(i)), blas_size(a.rows()), 1.0, left, stride,
                  1.0, out, out_stride);
    else
      cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_size(columns(i)), blas_size(columns(j)),
                  blas_size(a.rows()), 1.0, left, stride, right, stride, 1.0, out, out_stride);
  });
}

// ---- threads -------------------------------------------------------------------------------------------------

namespace {

struct Users {
  std::mutex mutex;
  int count = 0;
  int threads_before = 1;
};

constinit Users users;

// A forked process has none of its parent's other threads, which may be users or hold the mutex. If there were users,
// BLAS stays at one thread there.
void begin_child() {
  std::construct_at(&users);
}

[[maybe_unused]] const int watched = pthread_atfork(nullptr, nullptr, begin_child);

}  // namespace

OneThread::OneThread() {
  const std::lock_guard lock(users.mutex);
  if (users.count++ > 0) return;
  users.threads_before = openblas_get_num_threads();
  if (users.threads_before != 1) openblas_set_num_threads(1);
}

OneThread::~OneThread() {
  const std::lock_guard lock(users.mutex);
  if (users.count == 0) return;  // the caller has forked since, and is the child
  if (--users.count == 0 && users.threads_before != 1) openblas_set_num_threads(users.threads_before);
}

}  // namespace quartic::blas
