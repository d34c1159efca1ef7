// A lattice tower after Eiffel's, 1:100: four legs on a square, each a square tube of chords and braces, lean together
// and become one; arches span the base from leg to leg below the lowest of three platforms; a cabin and a spire.
// The origin is the middle of the base, z runs up.
#include <algorithm>
#include <cmath>
#include <string>

#include "procedural/voxelize.hpp"
#include "quartic/error.hpp"
#include "quartic/procedural.hpp"

namespace quartic {

namespace {

// Dimensions [m].
constexpr double height = 3.3;
constexpr double base_half_width = 0.625;  // to the legs' outer faces
constexpr double base_half_gap = 0.375;    // to their inner faces
constexpr double merging_height = 1.7;     // where the gap closes
constexpr double arch_height = 0.53;
constexpr double member = 0.03;  // thickness of braces and arches
constexpr double chord = 0.045;  // thickness of the legs' corners
constexpr double top = 2.76;     // the highest platform

constexpr Material rubber = {.youngs_modulus = 2e7, .poissons_ratio = 0.3, .density = 1000};

/// A square slab, open in the middle where the legs are apart.
struct Platform {
  double bottom, top, overhang;
};
constexpr std::array<Platform, 3> platforms = {{{0.55, 0.61, 0.03}, {1.13, 1.18, 0.03}, {top, 2.82, 0.04}}};

/// Half the distance between the outer faces of opposite legs: close to an exponential, as in Eiffel's tower.
double half_width(double z) { return base_half_width * std::exp((-1.14 + 0.081 * z) * z); }

/// Half the distance between the inner faces; 0 where the legs are one.
double half_gap(double z) { return z < merging_height ? base_half_gap * std::pow(1 - z / merging_height, 1.5) : 0; }

class Tower {
 public:
  explicit Tower(double cell)
      : member_(std::max(member, 1.2 * cell)), chord_(std::max(chord, 1.8 * cell)), least_half_width_(1.3 * cell) {}

  [[nodiscard]] double depth(const Point& point) const;

 private:
  [[nodiscard]] double outer(double z) const { return std::max(half_width(z), least_half_width_); }
  [[nodiscard]] double lattice(double x, double y, double z) const;
  [[nodiscard]] double arches(double x, double y, double z) const;
  [[nodiscard]] double decks(double x, double y, double z) const;
  [[nodiscard]] double cabin_and_spire(double x, double y, double z) const;

  double member_, chord_, least_half_width_;
};

/// Panels of the bracing: each about as high as a leg is wide. `phase` runs from 0 to 1 up a panel of this height.
struct Panel {
  double phase, height;
};

// Panels shrink geometrically like the legs do: panel boundaries at z with log(1 + z / shrink) a multiple of a constant.
Panel panel_at(double z) {
  constexpr double first = 0.25, shrink = 0.06;  // height of the lowest; how much each is lower than the one below it
  double bottom = 0, panel_height = first;
  while (z >= bottom + panel_height) {
    bottom += panel_height;
    panel_height = std::max(0.1, panel_height * (1 - shrink));
  }
  return {(z - bottom) / panel_height, panel_height};
}

/// Legs: chords at the four corners of each, diagonals crossing in each face's panels.
double Tower::lattice(double x, double y, double z) const {
  if (z > top) return -1;
  const double out = outer(z), in = std::min(half_gap(z), out - 1e-9);
  const bool apart = half_gap(z) > 0;
  const double low = apart ? in : -out, width = out - low;
  // In a leg from 0 to `width`; above the merging height, legs are one from -out to out.
  const double a = apart ? x - low : x + out, b = apart ? y - low : y + out;
  const double from_side_a = std::min(a, width - a), from_side_b = std::min(b, width - b);
  const double inside = std::min(from_side_a, from_side_b);
  if (inside < 0) return inside;
  const double corner = chord_ - std::max(from_side_a, from_side_b);
  const Panel panel = panel_at(z);
  const auto cross = [&](double along) {  // distance to the nearer diagonal of the panel
    const double s = along / width, up = panel.phase;
    const double slope = std::hypot(1 / width, 1 / panel.height);
    return std::min(std::abs(s - up), std::abs(s - (1 - up))) / slope;
  };
  const double face_a = std::min(member_ - from_side_a, member_ / 2 - cross(b));
  const double face_b = std::min(member_ - from_side_b, member_ / 2 - cross(a));
  return std::min(inside, std::max({corner, face_a, face_b}));
}

/// One arch per side, in the plane of the legs' outer faces.
double Tower::arches(double x, double y, double z) const {
  const double across = std::min(x, y), outward = std::max(x, y);
  const double out = outer(z);
  const double u = across / base_half_gap, v = z / arch_height;
  const double r = std::hypot(u, v);
  const double slope = std::hypot(u / base_half_gap, v / arch_height) / std::max(r, 1e-9);
  const double ring = member_ / 2 - std::abs(r - 1 + member_ / 2 / arch_height) / slope;
  return std::min({ring, out - outward, outward - (out - 1.5 * member_), half_gap(z) + member_ - across});
}

double Tower::decks(double x, double y, double z) const {
  double depth = -1;
  for (const Platform& platform : platforms) {
    const double thick = std::max(platform.top - platform.bottom, member_);
    const double middle = (platform.bottom + platform.top) / 2;
    const double outward = std::max(x, y);
    const double hole = half_gap(middle) - member_;
    double slab = std::min(thick / 2 - std::abs(z - middle), outer(middle) + platform.overhang - outward);
    if (hole > 0) slab = std::min(slab, outward - hole);
    depth = std::max(depth, slab);
  }
  return depth;
}

double Tower::cabin_and_spire(double x, double y, double z) const {
  const double outward = std::max(x, y);
  const double cabin = std::min({z - top, 2.94 - z, std::max(0.045, least_half_width_) - outward});
  const double taper = 0.03 * (height - z) / (height - top);
  const double spire = std::min({z - top, height - z, std::max(taper, 0.6 * least_half_width_) - outward});
  return std::max(cabin, spire);
}

double Tower::depth(const Point& point) const {
  const double x = std::abs(point[0]), y = std::abs(point[1]), z = point[2];
  return std::max({lattice(x, y, z), arches(x, y, z), decks(x, y, z), cabin_and_spire(x, y, z)});
}

}  // namespace

ProceduralMesh make_tower(int resolution) {
  if (resolution < 40 || resolution > 600)
    throw InputError("a tower needs 40 to 600 voxels along its height, not " + std::to_string(resolution));
  const double cell = height / resolution;
  const Tower tower(cell);
  const Point lower = {-base_half_width, -base_half_width, 0}, upper = {base_half_width, base_half_width, height};
  ProceduralMesh result;
  result.mesh = voxelize({lower, upper, [&](const Point& p) { return tower.depth(p); }}, resolution, "tower", rubber);
  for (std::int32_t v = 0; v < result.mesh.vertex_count(); ++v)
    if (result.mesh.vertices[3 * static_cast<std::size_t>(v) + 2] < 0.5 * cell) result.fixed_vertices.push_back(v);
  return result;
}

}  // namespace quartic
