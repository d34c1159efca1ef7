#include "cuda/relaxation/strain_products.hpp"

#include <string>

#include "core/fem/region_constants.hpp"
#include "cuda/strains/strain_tiles.hpp"
#include "cuda/strains/strains.hpp"

namespace quartic::cuda {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr const char* stage = "relaxed strains";

StrainPlan plan_of(const PreparedMesh& mesh, Index rank, Index fields, std::span<const RegionConstants> sets,
                   std::int64_t workspace_bytes) {
  const StrainShape shape{.rank = static_cast<int>(rank),
                          .linear = static_cast<int>(fields - rank),
                          .strains = strain_count_of(sets),
                          .sum_rows = static_cast<int>(fields)};
  return plan_strain_memory(
      mesh.image(), shape, 0, workspace_bytes,
      "the relaxation at rank " + std::to_string(rank) + " by " + std::to_string(shape.linear) + " fields",
      "take fewer natural states or a lower rank");
}

/// Sums of products over the points of a mesh.
class ProductSums {
 public:
  /// @param fields (U, Y)
  ProductSums(const PreparedMesh& mesh, const MatrixRef& fields, const StrainPlan& plan)
      : tiles_(mesh.image(), fields, plan, "the relaxation of strains on a device"),
        sums_(plan.slices * plan.shape.sum_size(), tiles_.stream()) {}

  [[nodiscard]] StrainProducts sum(const RegionConstants& constants, const Progress& progress) {
    const StrainShape& shape = tiles_.plan().shape;
    sums_.fill_zero(tiles_.stream());
    tiles_.for_each(constants, stage, progress, [&](int slices, int rows) {
      add_rows(0, shape.rank, 0, slices, rows);
      if (shape.linear > 0) add_rows(shape.pairs(), shape.linear, shape.rank, slices, rows);
    });
    sum_slices(shape.sum_size(), tiles_.plan().slices, sums_.data(), tiles_.stream());
    MatrixXd all(shape.sum_rows, shape.columns());
    check(cudaMemcpyAsync(all.data(), sums_.data(), static_cast<std::size_t>(all.size()) * sizeof(double),
                          cudaMemcpyDeviceToHost, tiles_.stream()),
          "copy products to the host");
    check(cudaStreamSynchronize(tiles_.stream()), "copy products to the host");
    return split(all);
  }

 private:
  // Rows of the sum from `to` on: columns `first` .. `first + count - 1` of a tile times all of them.
  void add_rows(int first, int count, int to, int slices, int rows) {
    const StrainShape& shape = tiles_.plan().shape;
    const long long stride = static_cast<long long>(shape.columns()) * rows;
    tiles_.cublas().add_transposed_batched(count, shape.columns(), rows,
                                           {.a = {tiles_.strains(first, rows), rows},
                                            .b = {tiles_.strains(0, rows), rows},
                                            .c = {sums_.data() + to, shape.sum_rows},
                                            .stride_a = stride,
                                            .stride_b = stride,
                                            .stride_c = shape.sum_size()},
                                           slices);
  }

  // Columns: linear strains of U, quadratic ones, linear strains of Y.
  [[nodiscard]] StrainProducts split(const MatrixXd& all) const {
    const Index r = tiles_.plan().shape.rank, n = tiles_.plan().shape.linear, pairs = r * (r + 1) / 2;
    StrainProducts products{.stiffness = Matrix(r + n, r + n), .forces = to_matrix(all.middleCols(r, pairs))};
    products.stiffness.map() << all.leftCols(r), all.rightCols(n);
    // The strain of q is 1/2 sum over all i, j of B_ij q_i q_j.
    for (Index i = 0, pair = 0; i < r; pair += r - i, ++i) products.forces.map().col(pair) *= 0.5;
    return products;
  }

  StrainTiles tiles_;
  DeviceArray<double> sums_;
};

}  // namespace

Matrix geometric_products(const PreparedMesh& mesh, const MatrixRef& basis, const MatrixRef& fields,
                          std::int64_t workspace_bytes, const Progress& progress) {
  const Index r = basis.cols(), n = fields.cols();
  MatrixXd all(basis.rows(), r + n);
  all << basis, fields;
  const RegionConstants constants = constants_of(mesh);
  ProductSums sums(mesh, all, plan_of(mesh, r, r + n, std::span(&constants, 1), workspace_bytes));
  return to_matrix(sums.sum(constants, progress).forces.map().bottomRows(n));
}

std::vector<StrainProducts> strain_products(const PreparedMesh& mesh, const MatrixRef& fields, std::int64_t rank,
                                            std::span<const RegionConstants> sets, std::int64_t workspace_bytes,
                                            const Progress& progress) {
  ProductSums sums(mesh, fields, plan_of(mesh, rank, fields.cols(), sets, workspace_bytes));
  std::vector<StrainProducts> products;
  const Progress share = [&](std::string_view name, double fraction) {
    progress(name, (static_cast<double>(products.size()) + fraction) / static_cast<double>(sets.size()));
  };
  for (const RegionConstants& constants : sets) products.push_back(sums.sum(constants, progress ? share : Progress()));
  return products;
}

}  // namespace quartic::cuda
