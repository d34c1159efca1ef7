#include "cpu/strains/strain_tiles.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/thread_pool.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// So many that dsyrk reads and writes the Gram matrix seldom and that many threads find work in one tile. A constant,
// since the order of summation follows from it.
constexpr std::int64_t points_per_tile = 2048;

}  // namespace

StrainTiles::StrainTiles(const PreparedMesh& mesh, const MatrixRef& fields, RegionConstants constants,
                         std::int64_t workspace_bytes, std::int64_t rows_besides, std::int64_t linear_fields)
    : mesh_(mesh.mesh()), fields_(fields), linear_fields_(linear_fields), constants_(std::move(constants)) {
  for (const auto& entry : constants_)
    if (entry) strains_per_point_ = static_cast<std::int64_t>(entry->strain_count());
  const std::int64_t r = fields.cols() - linear_fields;
  pairs_ = (r + 1) * (r + 2) / 2 - 1 + linear_fields;
  const std::int64_t row_bytes = pairs_ * static_cast<std::int64_t>(sizeof(double));
  tile_points_ = std::min(points_per_tile, (workspace_bytes / row_bytes - rows_besides) / strains_per_point_);
  const std::int64_t besides = row_bytes * rows_besides, point = row_bytes * strains_per_point_;
  if (tile_points_ < 1)
    throw InputError("workspace_bytes is " + std::to_string(workspace_bytes) + ", but at rank " + std::to_string(r) +
                     " a single quadrature point takes " + std::to_string(besides + point) + "; raise it, best to " +
                     std::to_string(besides + 1000 * point));
  std::int64_t first_element = 0;
  for (const ElementBlock& block : mesh_.blocks) {
    const TabulatedRule rule(element_table(block.type), stiffness_rule(block));
    Block entry{&block, first_element, rule, {}};
    for (std::int64_t e = 0; e < block.count(); ++e)
      if (constants_of(first_element + e)) entry.elements.push_back(e);
    const std::int64_t points = std::ssize(entry.elements) * std::ssize(entry.rule.weights);
    rows_ = std::max(rows_, strains_per_point_ * std::min(points, tile_points_));
    first_element += block.count();
    blocks_.push_back(std::move(entry));
  }
}

void StrainTiles::for_each(double* out, std::int64_t stride, const Progress& progress,
                           const std::function<void(std::int64_t rows)>& use) const {
  const auto report = [&](std::int64_t elements) {
    if (progress)
      progress("quartic energy", static_cast<double>(elements) / static_cast<double>(mesh_.element_count()));
  };
  report(0);
  for (const Block& block : blocks_) {
    const std::int64_t points = std::ssize(block.rule.weights), total = std::ssize(block.elements) * points;
    for (std::int64_t begin = 0; begin < total; begin += tile_points_) {
      const std::int64_t end = std::min(total, begin + tile_points_);
      fill(block, begin, end, out, stride);
      use(strains_per_point_ * (end - begin));
      report(block.first_element + end / points);
    }
  }
  report(mesh_.element_count());
}

// Points [begin, end) of a block's elements, counted through all of them.
void StrainTiles::fill(const Block& block, std::int64_t begin, std::int64_t end, double* out,
                       std::int64_t stride) const {
  constexpr auto panel_points = static_cast<std::int64_t>(StrainPanel::capacity);
  const auto points = std::ssize(block.rule.weights);
  parallel_for((end - begin + panel_points - 1) / panel_points, [&](std::int64_t task) {
    const std::int64_t first = begin + task * panel_points, last = std::min(end, first + panel_points);
    StrainPanel panel(fields_, static_cast<std::size_t>(linear_fields_));
    PointGeometry geometry;
    std::array<std::array<double, 3>, 20> x;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t e = block.elements[static_cast<std::size_t>(i / points)];
      const auto vertices = block.block->element(e);
      gather_positions(mesh_, vertices, x);
      point_geometry(x, block.rule, static_cast<std::size_t>(i % points), geometry);
      panel.add_point(vertices, geometry, *constants_of(block.first_element + e));
    }
    panel.write(static_cast<std::size_t>(strains_per_point_), out + strains_per_point_ * (first - begin),
                static_cast<std::size_t>(stride));
  });
}

}  // namespace quartic
