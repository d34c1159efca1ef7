// Voxels of surfaces, against clipping of triangles, counting of crossings, and volumes of solids known in closed form.
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <set>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "quartic/surface.hpp"
#include "support/soundness.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Vector = std::array<double, 3>;
using Cell = std::array<int, 3>;

VoxelOptions with_resolution(int resolution) {
  VoxelOptions options;
  options.resolution = resolution;
  return options;
}

TriangleMesh box_surface(const Vector& lower, const Vector& upper) {
  TriangleMesh mesh;
  for (int v = 0; v < 8; ++v)
    for (std::size_t axis = 0; axis < 3; ++axis)
      mesh.vertices.push_back((v >> axis & 1) != 0 ? upper[axis] : lower[axis]);
  mesh.triangles = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                    2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  return mesh;
}

void add(TriangleMesh& mesh, const TriangleMesh& other) {
  const auto first = static_cast<std::int32_t>(mesh.vertex_count());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const std::int32_t v : other.triangles) mesh.triangles.push_back(first + v);
}

/// An octahedron, its triangles cut into four and pushed out to the unit sphere a few times.
TriangleMesh sphere(int levels) {
  TriangleMesh mesh;
  mesh.vertices = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
  mesh.triangles = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  for (int level = 0; level < levels; ++level) {
    std::map<std::array<std::int32_t, 2>, std::int32_t> middles;
    const auto middle = [&](std::int32_t a, std::int32_t b) {
      const auto [entry, is_new] =
          middles.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<std::int32_t>(mesh.vertex_count()));
      if (is_new) {
        Vector x{};
        for (std::size_t axis = 0; axis < 3; ++axis)
          x[axis] = mesh.vertices[3 * static_cast<std::size_t>(a) + axis] +
                    mesh.vertices[3 * static_cast<std::size_t>(b) + axis];
        const double length = std::hypot(x[0], x[1], x[2]);
        for (const double c : x) mesh.vertices.push_back(c / length);
      }
      return entry->second;
    };
    std::vector<std::int32_t> finer;
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
      const std::int32_t a = mesh.triangles[t], b = mesh.triangles[t + 1], c = mesh.triangles[t + 2];
      const std::int32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const std::int32_t v : {a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca}) finer.push_back(v);
    }
    mesh.triangles = finer;
  }
  return mesh;
}

/// The filled cells, counted from the lower corner of the box of `surface`.
std::set<Cell> cells_of(const Voxelization& voxels, const Vector& lower) {
  std::set<Cell> cells;
  const ElementBlock& block = voxels.mesh.blocks.front();
  for (std::int64_t e = 0; e < block.count(); ++e) {
    Cell cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double x = voxels.mesh.vertices[3 * static_cast<std::size_t>(block.element(e)[0]) + axis];
      cell[axis] = static_cast<int>(std::lround((x - lower[axis]) / voxels.edge));
    }
    cells.insert(cell);
  }
  return cells;
}

Vector corner(const TriangleMesh& mesh, std::size_t t, std::size_t c) {
  const double* x = mesh.vertices.data() + 3 * static_cast<std::size_t>(mesh.triangles[3 * t + c]);
  return {x[0], x[1], x[2]};
}

/// Whether something of the triangle is left when it is clipped at the cube's six planes (Sutherland and Hodgman).
bool meets_by_clipping(std::vector<Vector> polygon, const Vector& lower, double edge) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const double plane = side < 0 ? lower[axis] : lower[axis] + edge;
      const auto inside = [&](const Vector& p) { return side * (plane - p[axis]); };  // >= 0
      std::vector<Vector> clipped;
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vector &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        const double at_a = inside(a), at_b = inside(b);
        if (at_a >= 0) clipped.push_back(a);
        if ((at_a > 0 && at_b < 0) || (at_a < 0 && at_b > 0)) {
          Vector cut{};
          for (std::size_t k = 0; k < 3; ++k) cut[k] = a[k] + at_a / (at_a - at_b) * (b[k] - a[k]);
          clipped.push_back(cut);
        }
      }
      polygon = clipped;
    }
  return !polygon.empty();
}

TEST(VoxelizeSurface, ABoxBecomesExactlyItsCubes) {
  for (const double scale : {1.0, 1e-4, 1e6}) {
    const Voxelization voxels =
        voxelize(box_surface({0, 0, 0}, {8 * scale, 4 * scale, 2 * scale}), with_resolution(16));
    EXPECT_EQ(voxels.mesh.element_count(), 16 * 8 * 4);
    EXPECT_EQ(voxels.surface_voxels, 16 * 8 * 4 - 14 * 6 * 2);
    EXPECT_EQ(voxels.interior_voxels, 14 * 6 * 2);
    EXPECT_EQ(voxels.added_voxels, 0);
    EXPECT_EQ(voxels.parts, std::vector<std::int64_t>{16 * 8 * 4});
    EXPECT_DOUBLE_EQ(voxels.edge, scale / 2);
    const MeshReport report = check_mesh(voxels.mesh);
    EXPECT_NEAR(report.volume, 64 * scale * scale * scale, 64e-14 * scale * scale * scale);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(report.bounding_box[axis], 0, 1e-15 * 16 * scale);
      EXPECT_NEAR(report.bounding_box[axis + 3], (axis == 0 ? 8 : axis == 1 ? 4 : 2) * scale, 1e-15 * 16 * scale);
    }
    test::expect_conforming(voxels.mesh);
  }
}

// Random triangles, each alone: what is filled must be what clipping leaves something of. (Three points in general
// position enclose nothing.) The lattice fills the triangle's box, so that its ends are touched exactly; those cells
// are decided by round-off in both methods and left out.
TEST(VoxelizeSurface, SurfaceVoxelsAreThoseThatClippingFinds) {
  constexpr int resolution = 9;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const std::vector<double> x = test::random_numbers(9, seed);
    TriangleMesh mesh{x, {0, 1, 2}, {}};
    const Voxelization voxels = voxelize(mesh, with_resolution(resolution));
    Vector lower{}, upper{}, middle{};
    Cell count{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lower[axis] = std::min({x[axis], x[axis + 3], x[axis + 6]});
      upper[axis] = std::max({x[axis], x[axis + 3], x[axis + 6]});
      middle[axis] = (lower[axis] + upper[axis]) / 2;
      count[axis] = static_cast<int>(std::ceil((upper[axis] - lower[axis]) / voxels.edge - 1e-9));
      lower[axis] = middle[axis] - count[axis] * voxels.edge / 2;
    }
    const std::set<Cell> cells = cells_of(voxels, lower);
    std::int64_t met = 0, possible = 0;
    for (int k = 0; k < count[2]; ++k)
      for (int j = 0; j < count[1]; ++j)
        for (int i = 0; i < count[0]; ++i) {
          const Vector at = {lower[0] + i * voxels.edge, lower[1] + j * voxels.edge, lower[2] + k * voxels.edge};
          const std::vector<Vector> triangle = {corner(mesh, 0, 0), corner(mesh, 0, 1), corner(mesh, 0, 2)};
          const double slack = 1e-7 * voxels.edge;
          const bool surely =
              meets_by_clipping(triangle, {at[0] + slack, at[1] + slack, at[2] + slack}, voxels.edge - 2 * slack);
          const bool maybe =
              meets_by_clipping(triangle, {at[0] - slack, at[1] - slack, at[2] - slack}, voxels.edge + 2 * slack);
          met += surely;
          const bool filled = cells.contains({i, j, k});
          EXPECT_TRUE(filled || !surely) << seed;
          possible += maybe;
          EXPECT_TRUE(!filled || maybe || voxels.added_voxels > 0) << seed;
        }
    EXPECT_GT(met, 3);
    EXPECT_GE(voxels.surface_voxels, met);
    EXPECT_LE(voxels.surface_voxels, possible);
  }
}

// Inside is where a ray crosses the surface an odd number of times.
TEST(VoxelizeSurface, FilledIsWhatARayFindsInside) {
  const TriangleMesh ball = sphere(4);
  const Voxelization voxels = voxelize(ball, with_resolution(20));
  const std::set<Cell> cells = cells_of(voxels, {-1, -1, -1});
  std::int64_t inside = 0;
  for (int k = 0; k < 20; ++k)
    for (int j = 0; j < 20; ++j)
      for (int i = 0; i < 20; ++i) {
        // No symmetric place, so that no ray meets an edge.
        const Vector p = {-1 + 0.1 * (i + 0.51), -1 + 0.1 * (j + 0.523), -1 + 0.1 * (k + 0.537)};
        int crossings = 0;
        for (std::size_t t = 0; t < ball.triangles.size() / 3; ++t) {
          const Vector a = corner(ball, t, 0), b = corner(ball, t, 1), c = corner(ball, t, 2);
          const auto turn = [&](const Vector& u, const Vector& v) {
            return (u[0] - p[0]) * (v[1] - p[1]) - (u[1] - p[1]) * (v[0] - p[0]);
          };
          const double ab = turn(a, b), bc = turn(b, c), ca = turn(c, a);
          if (!((ab > 0 && bc > 0 && ca > 0) || (ab < 0 && bc < 0 && ca < 0))) continue;
          const double z = (bc * a[2] + ca * b[2] + ab * c[2]) / (ab + bc + ca);
          crossings += z > p[2];
        }
        if (crossings % 2 == 0) continue;
        ++inside;
        EXPECT_TRUE(cells.contains({i, j, k}));
      }
  EXPECT_GT(inside, voxels.interior_voxels);  // some are of the surface
  EXPECT_GT(voxels.interior_voxels, 2500);
}

TEST(VoxelizeSurface, VolumesOfABallConvergeInTheFirstOrder) {
  const double exact = 4 * std::numbers::pi / 3;
  double before = 0;
  for (const int resolution : {16, 32, 64}) {
    const Voxelization voxels = voxelize(sphere(6), with_resolution(resolution));
    const double excess = static_cast<double>(voxels.mesh.element_count()) * std::pow(voxels.edge, 3) / exact - 1;
    EXPECT_GT(excess, 0);
    if (before > 0) {
      EXPECT_NEAR(excess / before, 0.5, 0.05) << resolution;
    }
    before = excess;
    test::expect_conforming(voxels.mesh);
    EXPECT_EQ(check_mesh(voxels.mesh).components, 1);
  }
}

TEST(VoxelizeSurface, PlaceScaleAndWindingDontMatter) {
  const TriangleMesh ball = sphere(3);
  const Voxelization reference = voxelize(ball, with_resolution(24));
  TriangleMesh other = ball;
  for (std::size_t i = 0; i < other.vertices.size(); ++i) other.vertices[i] = 1024 + other.vertices[i] / 1024;
  for (std::size_t t = 0; t < other.triangles.size(); t += 6) std::swap(other.triangles[t], other.triangles[t + 1]);
  const Voxelization moved = voxelize(other, with_resolution(24));
  EXPECT_EQ(moved.surface_voxels, reference.surface_voxels);
  EXPECT_EQ(moved.mesh.blocks.front().vertices, reference.mesh.blocks.front().vertices);
}

TEST(VoxelizeSurface, MirroredSurfacesGiveMirroredVoxels) {
  const Voxelization voxels = voxelize(sphere(4), with_resolution(23));
  const std::set<Cell> cells = cells_of(voxels, {-1, -1, -1});
  for (const Cell& cell : cells)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Cell mirrored = cell;
      mirrored[axis] = 22 - cell[axis];
      EXPECT_TRUE(cells.contains(mirrored));
    }
}

TEST(VoxelizeSurface, HolesNarrowerThanAVoxelDontMatterAndWideOnesMakeAShell) {
  TriangleMesh box = box_surface({0, 0, 0}, {1, 1, 1});
  const std::int64_t whole = voxelize(box, with_resolution(10)).mesh.element_count();
  box.triangles.erase(box.triangles.begin(), box.triangles.begin() + 6);  // the side z = 0
  const Voxelization open = voxelize(box, with_resolution(10));
  EXPECT_EQ(open.interior_voxels, 0);
  EXPECT_EQ(open.mesh.element_count(), whole - 8 * 8 * 9);
  // The same side again, but for a slit of 0.04 between its halves.
  for (const double side : {0.0, 1.0}) {
    const auto first = static_cast<std::int32_t>(box.vertex_count());
    const double from = side == 0 ? 0 : 0.57, to = side == 0 ? 0.53 : 1;
    for (const double v : {from, 0.0, 0.0, to, 0.0, 0.0, to, 1.0, 0.0, from, 1.0, 0.0}) box.vertices.push_back(v);
    for (const std::int32_t v : {0, 1, 2, 0, 2, 3}) box.triangles.push_back(first + v);
  }
  EXPECT_EQ(voxelize(box, with_resolution(10)).mesh.element_count(), whole);
}

TEST(VoxelizeSurface, PartsAreCountedAndTheLargestIsKept) {
  TriangleMesh boxes = box_surface({0, 0, 0}, {3.9, 3.9, 3.9});
  add(boxes, box_surface({6.1, 0.1, 0.1}, {7.9, 1.9, 1.9}));
  VoxelOptions options = with_resolution(8);
  options.region = "boxes";
  options.material = Material{1e6, 0.3, 1000};
  const Voxelization both = voxelize(boxes, options);
  EXPECT_EQ(both.parts, (std::vector<std::int64_t>{64, 8}));
  EXPECT_EQ(both.mesh.element_count(), 72);
  EXPECT_EQ(check_mesh(both.mesh).components, 2);
  EXPECT_EQ(both.mesh.regions.front().name, "boxes");
  const double mass = 72e3 * std::pow(7.9 / 8, 3);
  EXPECT_NEAR(check_mesh(both.mesh).mass.value(), mass, mass * 1e-13);
  options.only_largest_part = true;
  const Voxelization one = voxelize(boxes, options);
  EXPECT_EQ(one.parts, both.parts);
  EXPECT_EQ(one.mesh.element_count(), 64);
  EXPECT_EQ(one.mesh.vertex_count(), 125);
}

// Boxes one voxel apart at a common edge, were it not for what is added.
TriangleMesh wound_the_other_way(TriangleMesh mesh) {
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) std::swap(mesh.triangles[t], mesh.triangles[t + 1]);
  return mesh;
}

TriangleMesh scaled(TriangleMesh mesh, double factor, const Vector& place) {
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) mesh.vertices[i] = factor * mesh.vertices[i] + place[i % 3];
  return mesh;
}

// A box of 0.6 in one of 1, whose faces lie between cubes.
TEST(VoxelizeSurface, AnInnerShellWoundInwardsIsACavity) {
  const TriangleMesh outer = box_surface({0, 0, 0}, {1, 1, 1}), inner = box_surface({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8});
  for (const bool inside_out : {false, true}) {  // which way is outwards doesn't matter
    TriangleMesh nested = inside_out ? wound_the_other_way(outer) : outer;
    add(nested, inside_out ? inner : wound_the_other_way(inner));
    const Voxelization voxels = voxelize(nested, with_resolution(10));
    EXPECT_EQ(voxels.mesh.element_count(), 784);
    EXPECT_EQ(voxels.surface_voxels + voxels.interior_voxels, 784);
    EXPECT_EQ(voxels.cavity_voxels, 216);
    EXPECT_NEAR(voxels.volume, 0.784, 1e-12);
    EXPECT_NEAR(check_mesh(voxels.mesh).volume, 0.784, 1e-12);
    EXPECT_NEAR(voxels.enclosed_volume.value(), 0.784, 1e-12);
    EXPECT_NEAR(voxels.volume_ratio().value(), 1, 1e-12);
    test::expect_conforming(voxels.mesh);
  }
  // Wound as the outer one is, it isn't.
  TriangleMesh both = outer;
  add(both, inner);
  const Voxelization filled = voxelize(both, with_resolution(10));
  EXPECT_EQ(filled.mesh.element_count(), 1000);
  EXPECT_EQ(filled.cavity_voxels, 0);
  EXPECT_NEAR(filled.enclosed_volume.value(), 1.216, 1e-12);
}

// In a cavity a core, and in that a cavity: shells in shells.
TEST(VoxelizeSurface, ShellsInShellsAlternate) {
  TriangleMesh mesh = box_surface({0, 0, 0}, {1, 1, 1});
  add(mesh, wound_the_other_way(box_surface({0.1, 0.1, 0.1}, {0.9, 0.9, 0.9})));
  add(mesh, box_surface({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8}));
  add(mesh, wound_the_other_way(box_surface({0.4, 0.4, 0.4}, {0.6, 0.6, 0.6})));
  const Voxelization voxels = voxelize(mesh, with_resolution(20));
  const double solid = 1 - 0.512 + 0.216 - 0.008;
  EXPECT_NEAR(voxels.volume, solid, 1e-12);
  EXPECT_NEAR(voxels.enclosed_volume.value(), solid, 1e-12);
  EXPECT_EQ(voxels.parts, (std::vector<std::int64_t>{8000 - 4096, 1728 - 64}));
}

// A ball's cavity: cubes that the inner surface goes through stay filled, and the volume converges from above.
TEST(VoxelizeSurface, RoundCavitiesConverge) {
  TriangleMesh shell = sphere(5);
  const double solid = check_surface(shell).enclosed_volume.value() * (1 - 0.6 * 0.6 * 0.6);
  add(shell, wound_the_other_way(scaled(sphere(5), 0.6, {0.03, -0.02, 0.01})));
  double before = 0;
  for (const int resolution : {16, 32, 64}) {
    const Voxelization voxels = voxelize(shell, with_resolution(resolution));
    EXPECT_NEAR(voxels.enclosed_volume.value(), solid, 1e-12);
    const double excess = voxels.volume_ratio().value() - 1;
    EXPECT_GT(excess, 0);
    if (before > 0) {
      EXPECT_NEAR(excess / before, 0.5, 0.06) << resolution;
    }
    before = excess;
    EXPECT_GT(voxels.cavity_voxels, 0);
    EXPECT_EQ(voxels.parts.size(), 1U);
    test::expect_conforming(voxels.mesh);
  }
}

// Side by side each is a body, however it is wound; and what is open or wound either way can't be told from a body.
TEST(VoxelizeSurface, OnlyWhatIsSurelyACavityStaysEmpty) {
  TriangleMesh beside = box_surface({0, 0, 0}, {0.95, 1, 1});
  add(beside, wound_the_other_way(box_surface({2.05, 0, 0}, {3, 1, 1})));
  const Voxelization bodies = voxelize(beside, with_resolution(30));
  EXPECT_EQ(bodies.mesh.element_count(), 2000);
  EXPECT_NEAR(bodies.enclosed_volume.value(), 1.9, 1e-12);
  for (const bool open : {false, true}) {
    TriangleMesh nested = box_surface({0, 0, 0}, {1, 1, 1});
    if (open) {  // at the top, by a slit narrower than a cube
      nested.vertices.insert(nested.vertices.end(), {0, 0.03, 1, 1, 0.03, 1});
      nested.triangles[6] = nested.triangles[9] = 8;
      nested.triangles[7] = 9;
    } else {
      std::swap(nested.triangles[0], nested.triangles[1]);
    }
    add(nested, wound_the_other_way(box_surface({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8})));
    const Voxelization filled = voxelize(nested, with_resolution(10));
    EXPECT_EQ(filled.mesh.element_count(), 1000) << open;
    EXPECT_FALSE(filled.enclosed_volume.has_value());
    EXPECT_FALSE(filled.volume_ratio().has_value());
    EXPECT_FALSE(filled.thickness.has_value());
  }
}

// Two boxes at one place, wound against each other: nothing is between them.
TEST(VoxelizeSurface, NothingAtAllIsRefused) {
  TriangleMesh nothing = box_surface({0, 0, 0}, {1, 1, 1});
  add(nothing, wound_the_other_way(box_surface({-1e-9, -1e-9, -1e-9}, {1, 1, 1})));
  EXPECT_THROW((void)voxelize(nothing, with_resolution(4)), InputError);
}

// 12 x 6 x 0.8 cm: two layers of 6 mm hold half as much again.
TEST(VoxelizeSurface, VolumeAndThicknessOfAPlateAreTold) {
  const Voxelization plate = voxelize(box_surface({0, 0, 0}, {0.12, 0.06, 0.008}), with_resolution(20));
  EXPECT_NEAR(plate.volume, 8.64e-5, 1e-17);
  EXPECT_NEAR(plate.enclosed_volume.value(), 5.76e-5, 1e-17);
  EXPECT_NEAR(plate.volume_ratio().value(), 1.5, 1e-12);
  EXPECT_NEAR(plate.thickness.value(), 0.008, 1e-12);
  EXPECT_NEAR(plate.thickness.value() / plate.edge, 4.0 / 3, 1e-12);
}

// Turned about two axes, at any resolution; of a cube and a ball.
TEST(VoxelizeSurface, ThicknessIsAcrossTheBody) {
  TriangleMesh plate = box_surface({-1, -0.7, -0.02}, {1, 0.7, 0.02});
  for (const auto& [a, b, angle] : {std::array{0.0, 1.0, 0.4}, {1.0, 2.0, 0.7}}) {
    const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
    for (std::size_t v = 0; v < plate.vertices.size(); v += 3) {
      const double x = plate.vertices[v + first], y = plate.vertices[v + second];
      plate.vertices[v + first] = std::cos(angle) * x - std::sin(angle) * y;
      plate.vertices[v + second] = std::sin(angle) * x + std::cos(angle) * y;
    }
  }
  for (const int resolution : {20, 100})
    EXPECT_NEAR(voxelize(plate, with_resolution(resolution)).thickness.value(), 0.04, 1e-9) << resolution;
  EXPECT_NEAR(voxelize(box_surface({0, 0, 0}, {1, 1, 1}), with_resolution(8)).thickness.value(), 1, 1e-12);
  const double ball = voxelize(sphere(4), with_resolution(40)).thickness.value();  // 2 n_max^2 in all directions
  EXPECT_GT(ball, 2.0 / 3);
  EXPECT_LT(ball, 1.2);
}

TEST(VoxelizeSurface, NothingHangsByAnEdge) {
  TriangleMesh boxes = box_surface({0.1, 0.1, 0.1}, {3.9, 3.9, 3.9});
  add(boxes, box_surface({4.1, 4.1, 0.1}, {7.9, 7.9, 3.9}));
  boxes.vertices.insert(boxes.vertices.end(), {0, 0, 0, 0, 0, 0.1, 8, 8, 0.1});  // the box from 0 to 8
  for (const std::int32_t v : {16, 16, 17, 18, 18, 18}) boxes.triangles.push_back(v);
  const Voxelization voxels = voxelize(boxes, with_resolution(8));
  EXPECT_EQ(voxels.added_voxels, 2 * 4);  // beside the edge of four voxels
  EXPECT_EQ(voxels.parts.size(), 1U);
  EXPECT_EQ(check_mesh(voxels.mesh).components, 1);
}

TEST(VoxelizeSurface, FlatAndTinySurfacesAreASheet) {
  TriangleMesh sheet{{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, {0, 1, 2, 0, 2, 3}, {}};
  const Voxelization voxels = voxelize(sheet, with_resolution(5));
  EXPECT_EQ(voxels.mesh.element_count(), 25);
  EXPECT_EQ(voxelize(sheet, with_resolution(1)).mesh.element_count(), 1);
  TriangleMesh line{{0, 0, 0, 1, 1, 1, 0.5, 0.5, 0.5}, {0, 1, 2}, {}};
  EXPECT_EQ(voxelize(line, with_resolution(6)).parts.size(), 1U);
}

TEST(VoxelizeSurface, RefusesWhatHasNoVoxels) {
  const TriangleMesh box = box_surface({0, 0, 0}, {1, 1, 1});
  EXPECT_THROW((void)voxelize(box, with_resolution(0)), InputError);
  EXPECT_THROW((void)voxelize(box, with_resolution(1025)), InputError);
  EXPECT_THROW((void)voxelize({}, {}), InputError);
  EXPECT_THROW((void)voxelize({{1, 1, 1}, {0, 0, 0}, {}}, {}), InputError);
  EXPECT_THROW((void)voxelize({{1, 1, 1, 2, 2, 2}, {0, 1, 2}, {}}, {}), InputError);
  EXPECT_THROW((void)voxelize({{1, 1, 1, 2, 2, 2}, {0, 1, -1}, {}}, {}), InputError);
  EXPECT_THROW((void)voxelize({{0, 0, 0}, {0}, {}}, {}), InputError);
  EXPECT_THROW((void)voxelize({{0, 0, 0, 1, 0, 0, 0, 1, 0, NAN, 0, 0}, {0, 1, 2, 0, 1, 3}, {}}, {}), InputError);
  EXPECT_THROW((void)voxelize({{0, 0, 0, 1e-322, 0, 0, 0, 1e-322, 0}, {0, 1, 2}, {}}, {}), InputError);
  EXPECT_THROW((void)voxelize({{1e15, 0, 0, 1e15 + 1, 0, 0, 1e15, 1, 0}, {0, 1, 2}, {}}, {}), InputError);
  EXPECT_THROW((void)voxelize({{1, 1, 1, 2, INFINITY, 2}, {0, 1, 1}, {}}, {}), InputError);
}

}  // namespace
}  // namespace quartic
