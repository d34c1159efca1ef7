#include "cpu/reduction/strain_products.hpp"

#include <algorithm>

#include "core/algebra/blas.hpp"
#include "core/algebra/dense.hpp"
#include "core/energy/quartic_tensor.hpp"
#include "core/energy/symmetric_tensor.hpp"
#include "cpu/strains/strain_tiles.hpp"

namespace quartic::cpu {
namespace {

QuarticEnergy sum_strain_products(const PreparedMesh& mesh, const MatrixRef& basis, const RegionConstants& constants,
                                  std::int64_t workspace_bytes, const Progress& progress) {
  const StrainTiles tiles(mesh, basis, constants, workspace_bytes);
  Eigen::MatrixXd tile(tiles.rows(), tiles.pairs());
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(tiles.pairs(), tiles.pairs());  // lower triangle
  tiles.for_each(tile.data(), tile.outerStride(), progress,
                 [&](std::int64_t rows) { blas::rank_k_update_transposed(tile.topRows(rows), gram); });
  return symmetrise(gram, static_cast<int>(basis.cols()));
}

}  // namespace

std::vector<QuarticEnergy> reduce_energies(const PreparedMesh& mesh, const MatrixRef& basis,
                                           std::span<const RegionConstants> sets, std::int64_t workspace_bytes,
                                           const Progress& progress) {
  std::vector<QuarticEnergy> energies;
  const Progress share = [&](std::string_view stage, double fraction) {
    progress(stage, (static_cast<double>(energies.size()) + fraction) / static_cast<double>(sets.size()));
  };
  for (const RegionConstants& constants : sets)
    energies.push_back(sum_strain_products(mesh, basis, constants, workspace_bytes, progress ? share : Progress()));
  return energies;
}

StrainForm triangularize_strains(const PreparedMesh& mesh, const MatrixRef& basis, const RegionConstants& constants,
                                 std::int64_t workspace_bytes, const Progress& progress) {
  const std::int64_t pairs = strain_count(basis.cols());
  const StrainTiles tiles(mesh, basis, constants, workspace_bytes, pairs);
  // The triangle of the tiles so far, and the next tile below it.
  Eigen::MatrixXd stack = Eigen::MatrixXd::Zero(pairs + tiles.rows(), pairs);
  tiles.for_each(stack.data() + pairs, stack.outerStride(), progress,
                 [&](std::int64_t rows) { dense::triangularize(stack.topRows(pairs + rows)); });
  StrainForm form{.rank = static_cast<int>(basis.cols())};
  const auto r = static_cast<std::size_t>(basis.cols());
  for (Eigen::Index row = 0; row < pairs; ++row)
    for (std::size_t a = 0; a <= r; ++a)
      for (std::size_t b = std::max<std::size_t>(a, 1); b <= r; ++b) {
        const auto column = static_cast<Eigen::Index>(pair_index(a, b, r + 1)) - 1;
        if (column >= row) form.factor.push_back((a == b ? 0.5 : 1.0) * stack(row, column));
      }
  return form;
}

}  // namespace quartic::cpu
