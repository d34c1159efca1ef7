// Snapshots: files, selection by distance, captured energy.
#include "quartic/snapshots.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "io/tensors/safetensors.hpp"
#include "quartic/basis.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "support/boxes.hpp"
#include "support/support.hpp"

namespace {

using namespace quartic;

Matrix random_fields(std::int64_t rows, std::int64_t cols) {
  Matrix fields(rows, cols);
  fields.values = test::random_numbers(fields.values.size(), 11);
  return fields;
}

SparseMatrix diagonal(std::vector<double> values) {
  const auto n = static_cast<std::int32_t>(values.size());
  SparseMatrix matrix{.rows = n, .cols = n, .row_offsets = {}, .columns = {}, .values = std::move(values)};
  matrix.row_offsets.resize(static_cast<std::size_t>(n) + 1);
  matrix.columns.resize(static_cast<std::size_t>(n));
  std::iota(matrix.row_offsets.begin(), matrix.row_offsets.end(), 0);
  std::iota(matrix.columns.begin(), matrix.columns.end(), 0);
  return matrix;
}

TEST(SnapshotsTest, FilesKeepEveryBit) {
  const test::TemporaryFolder folder;
  const Snapshots written{.time = {0, 0.1, 0.5}, .displacements = random_fields(12, 3)};
  save_snapshots(written, folder / "a.qsnap");
  const Snapshots read = load_snapshots(folder / "a.qsnap");
  EXPECT_EQ(read.time, written.time);
  EXPECT_EQ(read.displacements.rows, 12);
  EXPECT_EQ(read.displacements.cols, 3);
  EXPECT_EQ(read.displacements.values, written.displacements.values);
  EXPECT_EQ(read.count(), 3);
}

TEST(SnapshotsTest, OtherProgramsFilesMayBeSingleAndWithoutTime) {
  const test::TemporaryFolder folder;
  const std::vector<float> values = {1, 2, 3, 4, 5, 6.5F};
  io::write_safetensors(folder / "a", {io::tensor_view("displacements", {2, 1, 3}, values)}, {});
  const Snapshots read = load_snapshots(folder / "a");
  EXPECT_EQ(read.time, (std::vector<double>{0, 1}));
  EXPECT_EQ(read.displacements(2, 1), 6.5);
  EXPECT_EQ(read.displacements(0, 1), 4);
}

TEST(SnapshotsTest, RefusesOtherFiles) {
  const test::TemporaryFolder folder;
  const std::vector<double> six(6), two(2);
  const std::vector<double> nan = {0, 1, std::nan("")};
  const auto refused = [&](const std::vector<io::TensorView>& tensors, const std::string& text) {
    io::write_safetensors(folder / "a", tensors, {});
    try {
      static_cast<void>(load_snapshots(folder / "a"));
      FAIL() << text;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  refused({io::tensor_view("time", {2}, two)}, "no tensor 'displacements'");
  refused({io::tensor_view("displacements", {6}, six)}, "displacements");
  refused({io::tensor_view("displacements", {1, 3, 2}, six)}, "2 numbers per vertex");
  refused({io::tensor_view("displacements", {1, 1, 3}, nan)}, "displacements");
  refused({io::tensor_view("time", {2}, two), io::tensor_view("displacements", {1, 2, 3}, six)}, "2 entries for 1");
  const std::vector<double> none;
  refused({io::tensor_view("displacements", {(std::int64_t{1} << 60) - 1, 0, 3}, none)}, "no fields or no vertices");
  refused({io::tensor_view("displacements", {0, std::int64_t{1} << 62, 3}, none)}, "no fields or no vertices");
  EXPECT_THROW(static_cast<void>(load_snapshots(folder / "missing")), FileError);
  EXPECT_THROW(save_snapshots({.time = {0}, .displacements = random_fields(3, 2)}, folder / "b"), InputError);
  EXPECT_THROW(save_snapshots({.time = {0}, .displacements = random_fields(4, 1)}, folder / "b"), InputError);
}

TEST(SnapshotsTest, SelectionKeepsTheMassDistance) {
  const SparseMatrix mass = diagonal({4, 1, 1});
  Matrix fields(3, 7);
  // In the mass norm:        4,       4.2,     0,       4,       1.9,     4,       1
  const double entries[7][3] = {{2, 0, 0}, {2.1, 0, 0}, {0, 0, 0}, {0, 4, 0}, {0, 0, 1.9}, {0, 4, 0}, {0, 0, -1}};
  for (std::int64_t j = 0; j < 7; ++j)
    for (std::int64_t i = 0; i < 3; ++i) fields(i, j) = entries[j][i];
  // A tenth of 4.2 is the distance: the second is 0.2 from the first; the sixth is the fourth again.
  EXPECT_EQ(select_separated(fields.map(), mass, 0.1), (std::vector<std::int64_t>{0, 3, 4, 6}));
  EXPECT_EQ(select_separated(fields.map(), mass, 0.4), (std::vector<std::int64_t>{0, 3, 4}));
  EXPECT_EQ(select_separated(fields.map(), mass, 0), (std::vector<std::int64_t>{0, 1, 3, 4, 5, 6}));
  const Matrix kept = select_columns(fields, std::array<std::int64_t, 2>{6, 1});
  EXPECT_EQ(kept(2, 0), -1);
  EXPECT_EQ(kept(0, 1), 2.1);
  EXPECT_TRUE(select_separated(Matrix(3, 0).map(), mass, 0.1).empty());
  EXPECT_THROW(static_cast<void>(select_separated(fields.map(), mass, -0.1)), InputError);
  EXPECT_THROW(static_cast<void>(select_separated(fields.map(), mass, std::nan(""))), InputError);
  EXPECT_THROW(static_cast<void>(select_separated(fields.map(), diagonal({1, 1}), 0.1)), InputError);
  EXPECT_THROW(static_cast<void>(select_columns(fields, std::array<std::int64_t, 1>{7})), InputError);
}

// What mass-PCA leaves out of the fields is what it doesn't count as captured.
TEST(SnapshotsTest, CapturedEnergyIsThatOfTheProjection) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::hexes, {2, 2, 1});
  const SparseMatrix mass = mass_matrix(mesh);
  const Matrix fields = random_fields(mass.rows, 6);
  const Basis basis = mass_pca(fields, mass, 4);
  const std::vector<double> captured = captured_energy(basis.singular_values);
  ASSERT_EQ(captured.size(), 6U);
  EXPECT_NEAR(captured.back(), 1, 1e-15);
  const auto x = fields.map();
  const double total = (x.transpose() * (mass.map() * x)).trace();
  for (Eigen::Index r = 1; r <= 4; ++r) {
    const Eigen::MatrixXd part = basis.vectors.map().leftCols(r).transpose() * (mass.map() * x);
    EXPECT_NEAR(captured[static_cast<std::size_t>(r - 1)], part.squaredNorm() / total, 1e-13);
  }
  EXPECT_TRUE(captured_energy({}).empty());
}

}  // namespace
