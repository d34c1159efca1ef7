// A sparse matrix of 3 x 3 blocks times columns on the device, against the host's product.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cuda/algebra/block_algebra.hpp"
#include "cuda/algebra/sparse_matrix.hpp"
#include "cuda/fem/expand_blocks.hpp"
#include "quartic/backend.hpp"
#include "quartic/matrix.hpp"
#include "support/support.hpp"

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

// Whole blocks, those of the diagonal among them.
SparseMatrix block_matrix(Eigen::Index vertices) {
  MatrixXd dense = random_matrix(3 * vertices, 3 * vertices, 8);
  for (Eigen::Index i = 0; i < vertices; ++i)
    for (Eigen::Index j = 0; j < vertices; ++j)
      if (i != j && (i * j) % 3 == 1) dense.block(3 * i, 3 * j, 3, 3).setZero();
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

class ExpandedBlocks : public SparseProductTest {
 protected:
  template <class Expand>
  MatrixXd expanded(std::int64_t rows, std::int64_t entries, const Expand& expand) const {
    const cuda::DeviceArray<std::int32_t> row_offsets(rows + 1, stream.get()), columns(entries, stream.get());
    const cuda::DeviceArray<double> values(entries, stream.get());
    expand(cuda::ScalarRows{row_offsets.data(), columns.data(), values.data()});
    SparseMatrix matrix;
    matrix.rows = matrix.cols = rows;
    fetch(row_offsets, matrix.row_offsets);
    fetch(columns, matrix.columns);
    fetch(values, matrix.values);
    EXPECT_EQ(matrix.row_offsets.back(), entries);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
      EXPECT_TRUE(std::is_sorted(matrix.columns.begin() + matrix.row_offsets[row],
                                 matrix.columns.begin() + matrix.row_offsets[row + 1]));
    return matrix.map();
  }

  template <class T>
  [[nodiscard]] cuda::DeviceArray<T> copy(const std::vector<T>& values) const {
    return {std::span<const T>(values), stream.get()};
  }

  const cuda::Stream stream;

 private:
  template <class T>
  void fetch(const cuda::DeviceArray<T>& from, std::vector<T>& to) const {
    to.resize(static_cast<std::size_t>(from.size()));
    cuda::check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream.get()), "copy");
    stream.synchronize();
  }
};

// 40 vertices: rows of more blocks than a warp has lanes.
TEST_F(ExpandedBlocks, AreTheMatrixAndItsUpperTriangle) {
  constexpr std::int64_t vertices = 40, rows = 3 * vertices;
  const SparseMatrix stiffness = block_matrix(vertices);
  const cuda::DeviceSparseMatrix on_device(stiffness, stream.get());
  const cuda::SparseView view = on_device.view();
  const cuda::BlockPattern pattern{vertices, view.row_offsets, view.columns, nullptr, nullptr};
  const double shift = 0.5;
  std::vector<std::int32_t> above = {0};
  std::vector<double> masses(vertices), all_masses;
  MatrixXd expected = stiffness.map(), expected_consistent = expected;
  for (std::int32_t v = 0; v < vertices; ++v) {
    masses[static_cast<std::size_t>(v)] = 1 + v;
    expected.block(3 * v, 3 * v, 3, 3) += shift * (1 + v) * MatrixXd::Identity(3, 3);
    above.push_back(above.back());
    for (auto n = stiffness.row_offsets[static_cast<std::size_t>(3 * v)];
         n < stiffness.row_offsets[static_cast<std::size_t>(3 * v + 1)]; n += 3) {
      const std::int32_t w = stiffness.columns[static_cast<std::size_t>(n)] / 3;
      above.back() += w > v;
      all_masses.push_back(v + 2 * w);
      expected_consistent.block(3 * v, 3 * w, 3, 3) += shift * (v + 2 * w) * MatrixXd::Identity(3, 3);
    }
  }
  const auto lumped = copy(masses), consistent = copy(all_masses);
  const cuda::ShiftedBlocks with_lumped{view.values, lumped.data(), true, shift},
      with_consistent{view.values, consistent.data(), false, shift};
  const std::int64_t entries = std::ssize(stiffness.values);
  for (const auto& [blocks, matrix] :
       {std::pair{with_lumped, expected}, std::pair{with_consistent, expected_consistent}}) {
    EXPECT_EQ(expanded(rows, entries, [&](const auto& to) { cuda::expand_all(pattern, blocks, to, stream.get()); }),
              matrix);
    const auto above_on_device = copy(above);
    EXPECT_EQ(expanded(rows, 9 * std::int64_t{above.back()} + 2 * rows,
                       [&](const auto& to) {
                         cuda::expand_upper(pattern, above_on_device.data(), blocks, to, stream.get());
                       }),
              MatrixXd(matrix.triangularView<Eigen::Upper>()));
  }
}

TEST_F(ExpandedBlocks, SizesAreTheHosts) {
  for (const SparseMatrix& matrix : {block_matrix(300), isotropic_matrix(300)}) {
    const cuda::DeviceSparseMatrix on_device(matrix, stream.get());
    const cuda::DeviceMatrix parts(2, 2, stream.get());  // of 256 rows, and of 44
    cuda::measure_rows(on_device.view(), parts.data(), stream.get());
    std::vector<double> sizes(4);
    parts.copy_to(sizes, stream.get());
    const MatrixXd dense = matrix.map();
    EXPECT_NEAR(sizes[0] + sizes[2], dense.trace(), 1e-13 * dense.diagonal().cwiseAbs().sum());
    EXPECT_NEAR(std::max(sizes[1], sizes[3]), dense.cwiseAbs().rowwise().sum().maxCoeff(), 1e-11);
  }
}

}  // namespace
}  // namespace quartic
