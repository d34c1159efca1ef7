#include "cpu/relaxation/strain_products.hpp"

#include "core/algebra/blas.hpp"
#include "cpu/strains/strain_tiles.hpp"

namespace quartic::cpu {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Columns of a tile: linear strains of all fields, then those of pairs i <= j of the first `rank` ones.
StrainProducts sum_products(const StrainTiles& tiles, Index fields, Index rank, const Progress& progress) {
  MatrixXd tile(tiles.rows(), tiles.pairs());
  MatrixXd sum = MatrixXd::Zero(fields, tiles.pairs());
  tiles.for_each(tile.data(), tile.outerStride(), progress, [&](std::int64_t rows) {
    sum += blas::multiply_transposed(tile.topLeftCorner(rows, fields), tile.topRows(rows));
  });
  StrainProducts products{.stiffness = to_matrix(sum.leftCols(fields)),
                          .forces = to_matrix(sum.rightCols(sum.cols() - fields))};
  // The strain of q is 1/2 sum over all i, j of B_ij q_i q_j.
  for (Index i = 0, pair = 0; i < rank; pair += rank - i, ++i) products.forces.map().col(pair) *= 0.5;
  return products;
}

}  // namespace

std::vector<StrainProducts> strain_products(const PreparedMesh& mesh, const MatrixRef& fields, std::int64_t rank,
                                            std::span<const RegionConstants> sets, std::int64_t workspace_bytes,
                                            const Progress& progress) {
  std::vector<StrainProducts> products;
  const Progress share = [&](std::string_view stage, double fraction) {
    progress(stage, (static_cast<double>(products.size()) + fraction) / static_cast<double>(sets.size()));
  };
  for (const RegionConstants& constants : sets) {
    const StrainTiles tiles(mesh, fields, constants, workspace_bytes, 0, fields.cols() - rank);
    products.push_back(sum_products(tiles, fields.cols(), rank, progress ? share : Progress()));
  }
  return products;
}

}  // namespace quartic::cpu
