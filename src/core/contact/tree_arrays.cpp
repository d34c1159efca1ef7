#include "core/contact/tree_arrays.hpp"

#include <limits>

namespace quartic {
namespace {

constexpr double margin = 1 + 8 * std::numeric_limits<double>::epsilon();

}  // namespace

void put_fit(BoundTree& tree, std::int64_t node, const NodeFit& fit, const NodeExtent& extent) {
  const auto n = static_cast<std::size_t>(node), r = static_cast<std::size_t>(tree.rank);
  for (std::size_t k = 0; k < 3; ++k) tree.rest_spheres[4 * n + k] = fit.centre[static_cast<Eigen::Index>(k)];
  tree.rest_spheres[4 * n + 3] = margin * extent.radius;
  for (std::size_t j = 0; j < r; ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      tree.centre_fields[(3 * n + k) * r + j] = fit.translations(row, column);
      for (std::size_t l = 0; l < 3; ++l)
        tree.affine_fields[(9 * n + 3 * k + l) * r + j] = fit.affine[j](row, static_cast<Eigen::Index>(l));
    }
    tree.residuals[n * r + j] = margin * extent.residuals[j];
  }
}

NodeFit fit_at(const BoundTree& tree, std::int64_t node) {
  const auto n = static_cast<std::size_t>(node), r = static_cast<std::size_t>(tree.rank);
  NodeFit fit;
  fit.centre = Eigen::Vector3d(tree.rest_spheres.data() + 4 * n);
  fit.translations.resize(3, tree.rank);
  fit.affine.resize(r);
  for (std::size_t j = 0; j < r; ++j)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      fit.translations(row, static_cast<Eigen::Index>(j)) = tree.centre_fields[(3 * n + k) * r + j];
      for (std::size_t l = 0; l < 3; ++l)
        fit.affine[j](row, static_cast<Eigen::Index>(l)) = tree.affine_fields[(9 * n + 3 * k + l) * r + j];
    }
  return fit;
}

}  // namespace quartic
