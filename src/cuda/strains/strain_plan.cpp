#include "cuda/strains/strain_plan.hpp"

#include <algorithm>
#include <string>

#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

// Products that keep a device of up to some 250 multiprocessors busy, each of a square of that size. Constants, since
// the order of summation follows from them.
constexpr std::int64_t products_at_once = 256, product_size = 128;
constexpr std::int64_t most_slices = 64;
// 1536 rows: so many that a slice's products read and write its sums seldom.
constexpr std::int64_t most_slice_points = 256, warp = 32;

std::int64_t squares_along(std::int64_t size) {
  return (size + product_size - 1) / product_size;
}

// Twice the products of a sum.
std::int64_t double_products(const StrainShape& shape) {
  const std::int64_t along = squares_along(shape.columns());
  return along * (shape.sum_rows == 0 ? along + 1 : 2 * squares_along(shape.sum_rows));
}

}  // namespace

StrainPlan plan_strains(const StrainShape& shape, std::int64_t most_points, int corners, std::int64_t workspace_bytes) {
  constexpr auto number = static_cast<std::int64_t>(sizeof(double));
  const std::int64_t point_bytes = number * shape.columns() * shape.strains, sum_bytes = number * shape.sum_size();
  if (workspace_bytes < point_bytes)
    throw InputError("workspace_bytes is " + std::to_string(workspace_bytes) + ", but at rank " +
                     std::to_string(shape.rank) + " a single quadrature point takes " + std::to_string(point_bytes) +
                     "; raise it, best to " + std::to_string(10000 * point_bytes));
  std::int64_t slices = std::clamp<std::int64_t>(2 * products_at_once / double_products(shape), 1, most_slices);
  slices = std::min(slices, 1 + workspace_bytes / 2 / sum_bytes);
  const std::int64_t tile_bytes = workspace_bytes - (slices - 1) * sum_bytes;
  const std::int64_t fitting = std::max<std::int64_t>(1, tile_bytes / point_bytes);
  slices = std::min(slices, fitting);
  std::int64_t slice_points =
      std::max<std::int64_t>(1, std::min({most_slice_points, (most_points + slices - 1) / slices, fitting / slices}));
  // Whole warps, so that what they write lies side by side.
  if (slice_points > warp) {
    const std::int64_t whole = (slice_points + warp - 1) / warp * warp;
    slice_points = whole * slices <= fitting ? whole : whole - warp;
  }
  StrainPlan plan{.shape = shape, .slices = static_cast<int>(slices), .slice_points = static_cast<int>(slice_points)};
  const std::int64_t fields = shape.rank + shape.linear;
  const std::int64_t kept = number * (9 * (fields + 1) + 3 * corners + 4);  // gradients, scales and weight of a point
  plan.bytes = slices * sum_bytes + (point_bytes + kept) * plan.tile_points();
  return plan;
}

}  // namespace quartic::cuda
