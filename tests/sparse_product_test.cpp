// A sparse matrix of 3 x 3 blocks times columns on the device, against the host's product.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/SparseCore>

#include "cuda/block_algebra.hpp"
#include "cuda/sparse_matrix.hpp"
#include "quartic/backend.hpp"
#include "quartic/matrix.hpp"
#include "support.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;

MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  const auto numbers = test::random_numbers(static_cast<std::size_t>(rows * cols), seed);
  return MatrixXd::Map(numbers.data(), rows, cols);
}

// About every fourth entry, so that blocks have holes; the rows of one vertex are empty.
SparseMatrix ragged_matrix(Eigen::Index vertices) {
  MatrixXd dense = random_matrix(3 * vertices, 3 * vertices, 5);
  dense = (random_matrix(3 * vertices, 3 * vertices, 6).array() > 0.5).select(dense, 0);
  dense.middleRows(3 * (vertices / 2), 3).setZero();
  return to_sparse_matrix(Eigen::SparseMatrix<double>(dense.sparseView()));
}

SparseMatrix isotropic_matrix(Eigen::Index vertices) {
  const MatrixXd small = random_matrix(vertices, vertices, 7);
  MatrixXd dense = MatrixXd::Zero(3 * vertices, 3 * vertices);
  for (Eigen::Index i = 0; i < vertices; ++i)
    for (Eigen::Index j = 0; j < vertices; ++j)
      if (small(i, j) > 0) dense.block(3 * i, 3 * j, 3, 3) = small(i, j) * MatrixXd::Identity(3, 3);
  return to_sparse_matrix(Eigen::SparseMatrix<double>(dense.sparseView()));
}

class SparseProductTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_available(Backend::cuda)) GTEST_SKIP() << "no CUDA device";
  }

  static MatrixXd product(const SparseMatrix& a, const MatrixXd& x, bool isotropic) {
    const cuda::Stream stream;
    const cuda::DeviceSparseMatrix on_device(a, stream.get());
    EXPECT_EQ(on_device.view().isotropic, isotropic);
    EXPECT_EQ(on_device.rows(), a.rows);
    const cuda::DeviceMatrix columns(x.rows(), x.cols(), {x.data(), static_cast<std::size_t>(x.size())}, stream.get());
    cuda::DeviceMatrix y(a.rows, x.cols(), stream.get());
    cuda::multiply(on_device.view(), columns, y, stream.get());
    MatrixXd result(a.rows, x.cols());
    y.copy_to({result.data(), static_cast<std::size_t>(result.size())}, stream.get());
    return result;
  }
};

TEST_F(SparseProductTest, EqualsTheHosts) {
  for (const Eigen::Index vertices : {1, 11, 43})
    for (const bool isotropic : {false, true}) {
      const SparseMatrix a = isotropic ? isotropic_matrix(vertices) : ragged_matrix(vertices);
      if (isotropic && a.nonzeros() == 0) continue;
      for (const Eigen::Index columns : {1, 8, 9, 17, 32, 37}) {
        const MatrixXd x = random_matrix(a.rows, columns, 8);
        const MatrixXd y = product(a, x, isotropic || a.nonzeros() == 0);
        // A rounding for each of the entries of a row at most, of sums that are at most as many.
        const double tolerance = 1e-16 * static_cast<double>(a.rows) * static_cast<double>(a.rows);
        EXPECT_LE((y - a.map() * x).cwiseAbs().maxCoeff(), tolerance) << vertices << ' ' << columns;
      }
    }
}

TEST_F(SparseProductTest, IsTheSameBitsHoweverManyColumns) {
  const SparseMatrix a = ragged_matrix(20);
  const MatrixXd x = random_matrix(a.rows, 37, 9), all = product(a, x, false);
  for (const Eigen::Index columns : {1, 9, 20})
    EXPECT_EQ(product(a, x.leftCols(columns), false), all.leftCols(columns));
}

TEST_F(SparseProductTest, OfNoColumnsIsNoWork) {
  EXPECT_EQ(product(ragged_matrix(4), MatrixXd(12, 0), false).size(), 0);
}

class BlockAlgebraTest : public SparseProductTest {};

TEST_F(BlockAlgebraTest, SumsAndPermutationsEqualTheHosts) {
  const cuda::Stream stream;
  const Eigen::Index rows = cuda::segment_rows + 700, cols = 3;
  const MatrixXd x = random_matrix(rows, cols, 1), y = random_matrix(rows, cols, 2), c = random_matrix(cols, 1, 3);
  const auto send = [&](const MatrixXd& m) {
    return cuda::DeviceMatrix(m.rows(), m.cols(), {m.data(), static_cast<std::size_t>(m.size())}, stream.get());
  };
  const auto fetch = [&](const cuda::DeviceMatrix& m) {
    MatrixXd result(m.rows(), m.cols());
    m.copy_to({result.data(), static_cast<std::size_t>(result.size())}, stream.get());
    return result;
  };
  const cuda::DeviceMatrix on_x = send(x), on_c = send(c);
  cuda::DeviceMatrix on_y = send(y);
  const cuda::DeviceMatrix sums(2, cols, stream.get());
  cuda::sum_products(on_x, on_y, sums.data(), stream.get());
  // Sums of 9,000 products of numbers up to 1.
  EXPECT_LE((fetch(sums).colwise().sum() - x.cwiseProduct(y).colwise().sum()).cwiseAbs().maxCoeff(), 1e-12);
  cuda::add_scaled(on_y, on_x, on_c.data(), stream.get());
  const MatrixXd added = fetch(on_y);
  EXPECT_LE((added - (y + x * c.col(0).asDiagonal())).cwiseAbs().maxCoeff(), 1e-15);
  cuda::scale_and_add(on_y, on_c.data(), on_x, stream.get());
  EXPECT_LE((fetch(on_y) - (added * c.col(0).asDiagonal() + x)).cwiseAbs().maxCoeff(), 1e-15);

  std::vector<std::int32_t> order(static_cast<std::size_t>(rows));
  for (std::size_t n = 0; n < order.size(); ++n) order[n] = static_cast<std::int32_t>(n * 5 % order.size());
  const cuda::DeviceArray<std::int32_t> on_order(std::span<const std::int32_t>(order), stream.get());
  const cuda::DeviceMatrix gathered(rows, cols, stream.get()), back(rows, cols, stream.get());
  cuda::gather_rows({on_x.data(), rows, cols}, on_order.data(), gathered.data(), stream.get());
  EXPECT_EQ(fetch(gathered), x(order, Eigen::all));
  cuda::scatter_rows({gathered.data(), rows, cols}, on_order.data(), back.data(), stream.get());
  EXPECT_EQ(fetch(back), x);
}

}  // namespace
}  // namespace quartic
