// A lattice tower after Eiffel's, about 1:100: four legs on a square, each a tube of chords and braces, lean together
// and carry a single tube above the second of three platforms; arches span from leg to leg below the first; a cabin and
// a spire on top. The origin is the middle of the base, z runs up.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/procedural/elements_of_type.hpp"
#include "core/procedural/rubber.hpp"
#include "core/procedural/voxelize.hpp"
#include "quartic/error.hpp"
#include "quartic/procedural.hpp"

namespace quartic {

namespace {

// Dimensions [m].
constexpr double height = 3.3;
constexpr double base_half_width = 0.625;  // to the legs' outer faces
constexpr double base_half_gap = 0.345;    // to their inner faces
constexpr double arch_height = 0.525;
constexpr double arch_depth = 0.045;
constexpr double member = 0.0285;  // thickness of braces
constexpr double chord = 0.04;     // thickness of the corners of legs and tube
constexpr double cabin_top = 2.96;

/// A square slab, open in the middle where the legs are apart.
struct Platform {
  double bottom, top, overhang;
};
constexpr std::array<Platform, 3> platforms = {{{0.545, 0.605, 0.035}, {1.13, 1.18, 0.03}, {2.76, 2.82, 0.045}}};
constexpr double legs_top = platforms[1].top;
constexpr double tube_top = platforms[2].bottom;

/// Where braces begin and end: each panel is about as high as its leg is wide, or the tube above the legs.
constexpr std::array panels = {0.0, 0.545, 0.605, 0.87, 1.13, 1.18, 1.58, 1.91, 2.17, 2.39, 2.585, 2.76};

/// Half the distance between the outer faces of opposite legs: close to an exponential, as in Eiffel's tower.
double half_width_at(double z) {
  return base_half_width * std::exp((0.1046 * z - 1.012) * z);
}
/// How far an outer face leans: horizontal run for a rise of 1.
double lean(double z) {
  return (1.012 - 2 * 0.1046 * z) * half_width_at(z);
}
/// Half the distance between the inner faces.
double half_gap(double z) {
  return base_half_gap * std::pow(std::max(0.0, 1 - z / 1.9), 1.6);
}

/// Depths of the tower's parts at |x|, |y|, z: distances, or nearly so.
class Tower {
 public:
  explicit Tower(double cell)
      : member_(std::max(member, 1.2 * cell)),
        chord_(std::max(chord, 1.5 * cell)),
        arch_(std::max(arch_depth, 1.5 * cell)),
        least_half_width_(1.3 * cell) {}

  [[nodiscard]] double depth(double x, double y, double z) const {
    return std::max({lattice(x, y, z), arches(x, y, z), decks(x, y, z), cabin_and_spire(x, y, z)});
  }

 private:
  [[nodiscard]] double outer(double z) const { return std::max(half_width_at(z), least_half_width_); }
  [[nodiscard]] double lattice(double x, double y, double z) const;
  [[nodiscard]] double braces(double along, double width, double z) const;
  [[nodiscard]] double arches(double x, double y, double z) const;
  [[nodiscard]] double decks(double x, double y, double z) const;
  [[nodiscard]] double cabin_and_spire(double x, double y, double z) const;

  double member_, chord_, arch_, least_half_width_;
};

/// Legs and tube: chords at the corners, braces in the faces. What leans is thicker, lest its steps come apart.
double Tower::lattice(double x, double y, double z) const {
  if (z > tube_top) return tube_top - z;
  const double low = z < legs_top ? half_gap(z) : -outer(z), width = outer(z) - low;
  const double a = x - low, b = y - low;  // across the leg, or the tube, from 0 to width
  const double edge_a = std::min(a, width - a), edge_b = std::min(b, width - b);
  const double stretch = 1 + lean(z), face = member_ * stretch;
  const double corner = chord_ - std::max(edge_a, edge_b);
  const double face_a = std::min(face - edge_a, braces(b, width, z));
  const double face_b = std::min(face - edge_b, braces(a, width, z));
  return std::min({edge_a, edge_b, std::max({corner, face_a, face_b})});
}

/// In a face's panel: two diagonals, and bars along its lower and upper edge.
double Tower::braces(double along, double width, double z) const {
  const auto end = std::upper_bound(panels.begin(), panels.end() - 1, z);
  const double top = *end, bottom = *(end - 1), up = (z - bottom) / (top - bottom), s = along / width;
  const double diagonal = std::min(std::abs(s - up), std::abs(s + up - 1)) / std::hypot(1 / width, 1 / (top - bottom));
  return member_ / 2 - (z > member_ && z < legs_top ? diagonal : std::min({diagonal, z - bottom, top - z}));
}

/// An arch on each side, half an ellipse in the plane of the legs' outer faces, from inner face to inner face.
double Tower::arches(double x, double y, double z) const {
  const double across = std::min(x, y), outward = std::max(x, y);
  const double u = across / base_half_gap, v = z / arch_height, r = std::hypot(u, v);
  const double slope = std::hypot(u / base_half_gap, v / arch_height) / std::max(r, 1e-9);
  const double ring = arch_ / 2 - std::abs((r - 1) / slope + arch_ / 2);
  const double face = arch_ * (1 + lean(z));
  return std::min({ring, outer(z) - outward, outward - (outer(z) - face), half_gap(z) + member_ - across});
}

double Tower::decks(double x, double y, double z) const {
  const double outward = std::max(x, y);
  double depth = -height;
  for (const Platform& platform : platforms) {
    const double middle = (platform.bottom + platform.top) / 2;
    const double thickness = std::max(platform.top - platform.bottom, member_);
    const double hole = middle < legs_top ? half_gap(middle) : -1;
    depth = std::max(depth, std::min({thickness / 2 - std::abs(z - middle), outer(middle) + platform.overhang - outward,
                                      outward - hole}));
  }
  return depth;
}

double Tower::cabin_and_spire(double x, double y, double z) const {
  const double outward = std::max(x, y), up = z - tube_top;
  const double cabin = std::min({up, cabin_top - z, std::max(0.06, least_half_width_) - outward});
  const double taper = std::max(0.05 * (height - z) / (height - cabin_top), 0.6 * least_half_width_);
  return std::max(cabin, std::min({up, height - z, taper - outward}));
}

}  // namespace

ProceduralMesh make_tower(int resolution, ElementType type) {
  check_element_type(type, "tower");
  if (resolution < 40 || resolution > 600)
    throw InputError("a tower needs 40 to 600 voxels along its height, not " + std::to_string(resolution));
  const double cell = height / resolution;
  const Tower tower(cell);
  const Point lower = {-base_half_width, -base_half_width, 0}, upper = {base_half_width, base_half_width, height};
  const auto depth = [&](const Point& p) { return tower.depth(std::abs(p[0]), std::abs(p[1]), p[2]); };
  ProceduralMesh result;
  result.mesh = voxelize({lower, upper, depth}, resolution, "tower", rubber);
  for (std::int32_t v = 0; v < result.mesh.vertex_count(); ++v)
    if (result.mesh.vertices[3 * static_cast<std::size_t>(v) + 2] < 0.5 * cell) result.fixed_vertices.push_back(v);
  return elements_of_type(std::move(result), type);
}

}  // namespace quartic
