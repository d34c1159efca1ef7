// Signed distances on a lattice.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "core/contact/solids.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Point = Shape::Solid::Point;
using Nearest = Shape::Solid::Nearest;
using Place = std::array<std::int64_t, 3>;

constexpr std::int64_t most_points = std::int64_t{1} << 28;

std::int64_t point_count(const std::array<std::int32_t, 3>& counts) {
  return std::int64_t{counts[0]} * counts[1] * counts[2];
}

void check(const DistanceGrid& grid) {
  if (!(grid.spacing > 0) || !std::isfinite(grid.spacing))
    throw InputError("the spacing of a distance grid must be a finite number above 0");
  for (std::size_t a = 0; a < 3; ++a)
    if (grid.counts[a] < 2 || grid.counts[a] > 1 << 20 || !std::isfinite(grid.origin[a]))
      throw InputError("a distance grid needs two points or more along each axis, and a finite origin");
  if (std::ssize(grid.values) != point_count(grid.counts))
    throw InputError("a distance grid of " + std::to_string(grid.counts[0]) + " x " + std::to_string(grid.counts[1]) +
                     " x " + std::to_string(grid.counts[2]) + " points has " + std::to_string(grid.values.size()) +
                     " values");
  if (!std::all_of(grid.values.begin(), grid.values.end(), [](double v) { return std::isfinite(v); }))
    throw InputError("a value of a distance grid isn't finite");
}

class Grid final : public Shape::Solid {
 public:
  explicit Grid(const DistanceGrid& grid) : grid_(grid) {
    check(grid);
    require_outside_faces();
    find_slope();
    depth_ = std::max(-*std::min_element(grid.values.begin(), grid.values.end()), 0.0);
    for (std::size_t a = 0; a < 3; ++a)
      reach_ = std::max(reach_, std::abs(grid.origin[a]) + grid.spacing * grid.counts[a]);
  }

  [[nodiscard]] Nearest at(const Point& x) const override { return nearest_on_grid(lattice(), x); }
  [[nodiscard]] SolidView view() const override {
    return {.kind = SolidKind::grid, .slope = slope_, .reach = reach_, .depth = depth_, .grid = lattice()};
  }
  [[nodiscard]] double slope() const override { return slope_; }
  [[nodiscard]] double reach() const override { return reach_; }
  [[nodiscard]] double depth() const override { return depth_; }

 private:
  [[nodiscard]] double value(const Place& p) const {
    return grid_.values[static_cast<std::size_t>((p[2] * grid_.counts[1] + p[1]) * grid_.counts[0] + p[0])];
  }
  [[nodiscard]] GridView lattice() const {
    return {.origin = {grid_.origin[0], grid_.origin[1], grid_.origin[2]},
            .spacing = grid_.spacing,
            .counts = {grid_.counts[0], grid_.counts[1], grid_.counts[2]},
            .values = grid_.values.data()};
  }
  template <class Visit>
  void for_each_place(const Visit& visit) const {
    Place p;
    for (p[2] = 0; p[2] < grid_.counts[2]; ++p[2])
      for (p[1] = 0; p[1] < grid_.counts[1]; ++p[1])
        for (p[0] = 0; p[0] < grid_.counts[0]; ++p[0]) visit(p);
  }
  void require_outside_faces() const {
    for_each_place([&](const Place& p) {
      bool on_face = false;
      for (std::size_t a = 0; a < 3; ++a) on_face |= p[a] == 0 || p[a] == grid_.counts[a] - 1;
      if (on_face && value(p) < 0)
        throw InputError("the shape of a distance grid reaches through the grid's faces; make the grid larger");
    });
  }
  // Differences along an axis are between those of the four edges of a cell. Outside, the way there is added, whose
  // gradient of unit length is at right angles to that along the faces.
  void find_slope() {
    double largest = 0;
    for_each_place([&](const Place& p) {
      double square = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        if (p[a] == grid_.counts[a] - 1) return;  // no cell starts here
        double along = 0;
        for (std::size_t edge = 0; edge < 4; ++edge) {
          Place from = p;
          from[(a + 1) % 3] += static_cast<std::int64_t>(edge & 1U);
          from[(a + 2) % 3] += static_cast<std::int64_t>(edge >> 1U);
          if (from[(a + 1) % 3] >= grid_.counts[(a + 1) % 3] || from[(a + 2) % 3] >= grid_.counts[(a + 2) % 3]) return;
          Place to = from;
          ++to[a];
          along = std::max(along, std::abs(value(to) - value(from)) / grid_.spacing);
        }
        square += along * along;
      }
      largest = std::max(largest, square);
    });
    slope_ = std::sqrt(largest + 1);
  }

  const DistanceGrid& grid_;
  double slope_ = 1, reach_ = 0, depth_ = 0;
};

}  // namespace

std::unique_ptr<Shape::Solid> make_grid(const DistanceGrid& grid) {
  return std::make_unique<Grid>(grid);
}

DistanceGrid distance_grid(const Shape& shape, const std::array<double, 3>& low, const std::array<double, 3>& high,
                           double spacing) {
  if (!(spacing > 0) || !std::isfinite(spacing))
    throw InputError("the spacing of a distance grid must be a finite number above 0");
  DistanceGrid grid{.spacing = spacing};
  double points = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const double extent = high[a] - low[a], cells = std::ceil(extent / spacing) + 2;
    if (!(extent > 0) || !std::isfinite(extent)) throw InputError("the box of a distance grid must have an extent");
    points *= cells + 1;
    if (points > static_cast<double>(most_points))
      throw InputError("a distance grid of more than 2^28 points is too large; take a larger spacing");
    grid.counts[a] = static_cast<std::int32_t>(cells) + 1;
    grid.origin[a] = (low[a] + high[a]) / 2 - spacing * cells / 2;
  }
  grid.values.reserve(static_cast<std::size_t>(point_count(grid.counts)));
  for (std::int32_t k = 0; k < grid.counts[2]; ++k)
    for (std::int32_t j = 0; j < grid.counts[1]; ++j)
      for (std::int32_t i = 0; i < grid.counts[0]; ++i)
        grid.values.push_back(
            shape.distance({grid.origin[0] + spacing * i, grid.origin[1] + spacing * j, grid.origin[2] + spacing * k})
                .gap);
  static_cast<void>(Shape(grid));  // whether it is one
  return grid;
}

}  // namespace quartic
