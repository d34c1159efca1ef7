// Surfaces embedded in volume meshes: against fields that elements hold exactly, brute force, and VegaFEM's weights.
#include "quartic/surface_embedding.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>

#include "quartic/embedding.hpp"
#include "quartic/error.hpp"
#include "quartic/procedural.hpp"
#include "support/boxes.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::all_cells;
using test::BoxCells;

constexpr std::array<int, 3> cells_along = {3, 4, 3};
const Vector3d box_size(1.5, 1.2, 1.2);

/// A soup of triangles with random corners in the box, or up to `beyond` outside it.
TriangleMesh random_surface(std::int64_t triangles, double beyond, unsigned seed) {
  TriangleMesh surface;
  const auto numbers = test::random_numbers(static_cast<std::size_t>(9 * triangles), seed);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    surface.vertices.push_back(0.5 * box_size[static_cast<Index>(i % 3)] * (1 + numbers[i]) + beyond * numbers[i]);
  for (std::int32_t v = 0; v < 3 * triangles; ++v) surface.triangles.push_back(v);
  return surface;
}

Vector3d point(const std::vector<double>& x, std::int64_t v) {
  return Vector3d::Map(x.data() + 3 * v);
}

/// A field by its values at positions, shape (3n).
VectorXd field_at(const std::vector<double>& positions, const std::function<Vector3d(const Vector3d&)>& field) {
  VectorXd values(std::ssize(positions));
  for (Index v = 0; v < values.size() / 3; ++v) values.segment<3>(3 * v) = field(point(positions, v));
  return values;
}

double largest_error(const VolumeMesh& mesh, const SurfaceEmbedding& surface,
                     const std::function<Vector3d(const Vector3d&)>& field) {
  const Matrix found = surface_basis(surface, field_at(mesh.vertices, field));
  return (found.map() - field_at(surface.vertices, field)).cwiseAbs().maxCoeff();
}

Vector3d affine_field(const Vector3d& x) {
  const Matrix3d a = Matrix3d::Map(test::random_numbers(9, 5).data());
  return a * x + Vector3d(0.3, -2, 0.7);
}

// Numbers of size 1 to 4, summed with weights of size up to 1.
constexpr double round_off = 1e-14;

TEST(SurfaceEmbedding, AffineFieldsAreReproducedInsideAndOutside) {
  for (const BoxCells cells : all_cells)
    for (const double beyond : {0.0, 0.3}) {
      SCOPED_TRACE(std::string(test::name_of(cells)) + ", beyond " + std::to_string(beyond));
      const VolumeMesh mesh = test::make_box(cells, cells_along);
      EmbedReport report;
      const SurfaceEmbedding surface = embed_surface(mesh, random_surface(200, beyond, 3), {}, &report);
      EXPECT_EQ(report.inside + report.outside, 600);
      const bool has_gaps = cells == BoxCells::alternating;  // between its flat and its warped faces
      EXPECT_EQ(report.outside > 0, beyond > 0 || has_gaps);
      EXPECT_LT(largest_error(mesh, surface, affine_field), beyond > 0 ? 4 * round_off : round_off);
      EXPECT_LT(largest_error(mesh, surface, [](const Vector3d& x) { return x; }), 4 * round_off);
      for (std::size_t row = 0; row < surface.weights.size(); row += static_cast<std::size_t>(surface.width)) {
        double sum = 0;
        for (std::int32_t a = 0; a < surface.width; ++a) sum += surface.weights[row + static_cast<std::size_t>(a)];
        EXPECT_NEAR(sum, 1, round_off);
      }
    }
}

TEST(SurfaceEmbedding, QuadraticElementsReproduceQuadraticFields) {
  const auto field = [](const Vector3d& x) { return Vector3d(x[0] * x[1] - x[2] * x[2], x[0] * x[0], x[1] * x[2]); };
  for (const BoxCells cells : {BoxCells::straight_tet10, BoxCells::straight_hex20, BoxCells::straight_wedge15}) {
    // Serendipity elements hold all quadratic fields where they are parallelepipeds and prisms alone.
    const VolumeMesh mesh = test::make_box(cells, cells_along, cells == BoxCells::straight_tet10 ? 0.15 : 0);
    const SurfaceEmbedding surface = embed_surface(mesh, random_surface(200, 0, 3));
    EXPECT_LT(largest_error(mesh, surface, field), 2 * round_off) << test::name_of(cells);
  }
  // And linear ones don't.
  const VolumeMesh linear = test::make_box(BoxCells::hexes, cells_along, 0);
  EXPECT_GT(largest_error(linear, embed_surface(linear, random_surface(200, 0, 3)), field), 1e-3);
}

TEST(SurfaceEmbedding, HexahedraHaveTrilinearWeights) {
  const VolumeMesh mesh = test::make_box(BoxCells::hexes, cells_along, 0.3);
  const auto local = test::random_numbers(static_cast<std::size_t>(3 * mesh.element_count()), 4);
  TriangleMesh surface;
  std::vector<double> expected;
  for (std::int64_t e = 0; e < mesh.element_count(); ++e) {
    const double* xi = local.data() + 3 * e;
    Vector3d x = Vector3d::Zero();
    for (int a = 0; a < 8; ++a) {
      const double s = (a + 1) / 2 % 2 == 1 ? 1 : -1, t = a / 2 % 2 == 1 ? 1 : -1, u = a >= 4 ? 1 : -1;
      expected.push_back((1 + s * xi[0]) * (1 + t * xi[1]) * (1 + u * xi[2]) / 8);
      x += expected.back() * point(mesh.vertices, mesh.blocks[0].element(e)[static_cast<std::size_t>(a)]);
    }
    surface.vertices.insert(surface.vertices.end(), x.begin(), x.end());
    surface.triangles.push_back(static_cast<std::int32_t>(e));
  }
  surface.triangles.resize(surface.triangles.size() / 3 * 3);
  const SurfaceEmbedding embedded = embed_surface(mesh, surface);
  ASSERT_EQ(embedded.width, 8);
  EXPECT_EQ(embedded.volume_vertices, mesh.blocks[0].vertices);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(embedded.weights[i], expected[i], 1e-13) << i;
}

TEST(SurfaceEmbedding, VerticesOfTheMeshHaveWeightOne) {
  for (const BoxCells cells : all_cells) {
    const VolumeMesh mesh = test::make_box(cells, cells_along);
    EmbedReport report;
    const SurfaceEmbedding surface =
        embed_surface(mesh, TriangleMesh{mesh.vertices, boundary_triangles(mesh), {}}, {}, &report);
    EXPECT_EQ(report.outside, 0) << test::name_of(cells);
    EXPECT_TRUE(report.warnings.empty());
    const MatrixXd fields = MatrixXd::Random(3 * mesh.vertex_count(), 4);
    EXPECT_EQ(MatrixXd(surface_basis(surface, fields).map()), fields) << test::name_of(cells);
  }
}

// Hexahedra have vertices inside, which the boundary leaves out.
TEST(SurfaceEmbedding, TheBoundaryIsASurfaceOfItsOwn) {
  const VolumeMesh mesh = make_box({.cells_x = 4, .cells_y = 3, .cells_z = 3}).mesh;
  const std::vector<std::int32_t> triangles = boundary_triangles(mesh);
  const SurfaceEmbedding surface = boundary_surface(mesh);
  EXPECT_EQ(surface.vertex_count(), 5 * 4 * 4 - 3 * 2 * 2);
  ASSERT_EQ(surface.triangles.size(), triangles.size());
  for (std::size_t k = 0; k < triangles.size(); ++k)
    EXPECT_EQ(surface.volume_vertices[static_cast<std::size_t>(surface.triangles[k])], triangles[k]);
  EXPECT_TRUE(std::is_sorted(surface.volume_vertices.begin(), surface.volume_vertices.end()));
  const Eigen::VectorXd field = Eigen::VectorXd::Random(3 * mesh.vertex_count());
  const Matrix rest = surface_basis(surface, Eigen::Map<const Eigen::VectorXd>(mesh.vertices.data(), field.size()));
  EXPECT_EQ(rest.values, surface.vertices);
  const Matrix moved = surface_basis(surface, field);
  for (std::size_t s = 0; s < surface.volume_vertices.size(); ++s)
    for (std::int64_t c = 0; c < 3; ++c)
      EXPECT_EQ(moved(3 * static_cast<std::int64_t>(s) + c, 0), field[3 * surface.volume_vertices[s] + c]);
}

TEST(SurfaceEmbedding, AgreesWithVegaFem) {
  QUARTIC_NEED_DATA(folder, "public/vegafem");
  const VolumeMesh mesh = read_mesh(folder / "turtle-volumetric-homogeneous.veg");
  std::ifstream file(folder / "turtle.interp");
  TriangleMesh surface;
  std::vector<std::array<double, 347>> expected;
  for (std::int64_t number = 0, vertex = 0; file >> number;) {
    std::array<double, 347> row{};
    double least = 1;
    Vector3d x = Vector3d::Zero();
    for (int a = 0; a < 4; ++a) {
      double weight = 0;
      file >> vertex >> weight;
      row[static_cast<std::size_t>(vertex)] += weight;
      least = std::min(least, weight);
      x += weight * point(mesh.vertices, vertex);
    }
    if (least < 1e-4) continue;  // on a face, or outside, where programs differ
    expected.push_back(row);
    surface.vertices.insert(surface.vertices.end(), x.begin(), x.end());
  }
  ASSERT_GT(expected.size(), 1000U);
  surface.triangles = {0, 1, 2};
  const SurfaceEmbedding embedded = embed_surface(mesh, surface);
  for (std::size_t v = 0; v < expected.size(); ++v) {
    std::array<double, 347> row{};
    for (std::size_t a = 4 * v; a < 4 * v + 4; ++a)
      row[static_cast<std::size_t>(embedded.volume_vertices[a])] += embedded.weights[a];
    // The file has six digits, and its weights sum to 1 to as many.
    for (std::size_t n = 0; n < row.size(); ++n) ASSERT_NEAR(row[n], expected[v][n], 2e-4) << v << ", " << n;
  }
}

/// The distance to a triangle by dense sampling of its sides and its plane.
double distance_to_boundary(const VolumeMesh& mesh, const Vector3d& x) {
  const auto triangles = boundary_triangles(mesh);
  double least = INFINITY;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    const Vector3d a = point(mesh.vertices, triangles[t]), b = point(mesh.vertices, triangles[t + 1]),
                   c = point(mesh.vertices, triangles[t + 2]);
    // Of the box, all faces are flat and along axes: the nearest point is that of the triangle's bounding box or on
    // the diagonal, which another triangle of the same face has as well.
    const Vector3d low = a.cwiseMin(b).cwiseMin(c), high = a.cwiseMax(b).cwiseMax(c);
    least = std::min(least, (x - x.cwiseMax(low).cwiseMin(high)).norm());
  }
  return least;
}

TEST(SurfaceEmbedding, OutsideVerticesHangOnTheNearestElement) {
  for (const BoxCells cells : {BoxCells::tets, BoxCells::hexes, BoxCells::wedges, BoxCells::curved_hex20}) {
    const VolumeMesh mesh = test::make_box(cells, cells_along);
    for (unsigned seed = 0; seed < 40; ++seed) {
      TriangleMesh surface = random_surface(1, 0.4, 100 + seed);
      EmbedReport report;
      const SurfaceEmbedding embedded = embed_surface(mesh, surface, {}, &report);
      double farthest = 0;
      std::int64_t outside = 0;
      for (std::int64_t v = 0; v < 3; ++v) {
        const Vector3d x = point(surface.vertices, v);
        const bool is_outside = (x.array() < 0).any() || (x.array() > box_size.array()).any();
        outside += is_outside;
        if (is_outside) farthest = std::max(farthest, distance_to_boundary(mesh, x));
      }
      EXPECT_EQ(report.outside, outside);
      EXPECT_NEAR(report.largest_distance, farthest, 1e-14) << test::name_of(cells) << ", " << seed;
      EXPECT_EQ(report.farthest_vertex >= 0, outside > 0);
    }
  }
}

TEST(SurfaceEmbedding, ForcesKeepTheirSumMomentAndWork) {
  for (const BoxCells cells : all_cells) {
    const VolumeMesh mesh = test::make_box(cells, cells_along);
    const SurfaceEmbedding surface = embed_surface(mesh, random_surface(100, 0.2, 8));
    const auto forces = test::random_numbers(static_cast<std::size_t>(3 * surface.vertex_count()), 9);
    const std::vector<double> moved = volume_forces(surface, forces, mesh.vertex_count());
    const auto resultant = [](const std::vector<double>& positions, const std::vector<double>& f) {
      Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
      for (std::int64_t v = 0; v < std::ssize(f) / 3; ++v) {
        sum.head<3>() += point(f, v);
        sum.tail<3>() += point(positions, v).cross(point(f, v));
      }
      return sum;
    };
    // 300 forces of size 1.
    EXPECT_LT((resultant(mesh.vertices, moved) - resultant(surface.vertices, forces)).cwiseAbs().maxCoeff(), 1e-12);
    // The reduced force of the surface's basis is that of the volume's: (W U)^T f = U^T (W^T f).
    const MatrixXd basis = MatrixXd::Random(3 * mesh.vertex_count(), 5);
    const VectorXd on_surface =
        surface_basis(surface, basis).map().transpose() * VectorXd::Map(forces.data(), std::ssize(forces));
    const VectorXd on_volume = basis.transpose() * VectorXd::Map(moved.data(), std::ssize(moved));
    EXPECT_LT((on_surface - on_volume).cwiseAbs().maxCoeff(), 1e-12);
    std::vector<VertexForce> listed;
    for (std::int32_t v = 0; v < surface.vertex_count(); ++v) {
      const Vector3d f = point(forces, v);
      listed.push_back({.body = 0, .vertex = v, .force = {f[0], f[1], f[2]}});
    }
    VectorXd reduced = VectorXd::Zero(5);
    add_vertex_forces<double>(surface_basis(surface, basis).map(), listed, {reduced.data(), 5, 1, 1, 5});
    EXPECT_LT((reduced - on_volume).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(SurfaceEmbedding, VoxelsHoldTheSurfaceThatTheyAreMadeOf) {
  TriangleMesh surface = random_surface(40, 0, 12);
  VoxelOptions options;
  options.resolution = 9;
  const Voxelization voxels = voxelize(surface, options);
  EmbedReport report;
  const SurfaceEmbedding embedded = embed_surface(voxels.mesh, surface, {}, &report);
  EXPECT_EQ(report.outside, 0);
  EXPECT_EQ(report.inside, 120);
  EXPECT_EQ(embedded.vertices, surface.vertices);
  EXPECT_EQ(embedded.triangles, surface.triangles);
  EXPECT_LT(largest_error(voxels.mesh, embedded, affine_field), round_off);
}

TEST(SurfaceEmbedding, InvertedAndDistortedElementsHoldVerticesToo) {
  VolumeMesh mesh = test::make_box(BoxCells::tets, cells_along);
  const SurfaceEmbedding before = embed_surface(mesh, random_surface(100, 0.1, 3));
  for (std::size_t e = 0; e < mesh.blocks[0].vertices.size(); e += 4)
    std::swap(mesh.blocks[0].vertices[e], mesh.blocks[0].vertices[e + 1]);
  EmbedReport report;
  const SurfaceEmbedding turned = embed_surface(mesh, random_surface(100, 0.1, 3), {}, &report);
  EXPECT_EQ(report.warnings.size(), 0U);
  EXPECT_LT(largest_error(mesh, turned, affine_field), 2 * round_off);
  EXPECT_GT(repair_orientation(mesh), 0);
  const SurfaceEmbedding repaired = embed_surface(mesh, random_surface(100, 0.1, 3));
  EXPECT_EQ(repaired.volume_vertices, before.volume_vertices);

  // A hexahedron with an edge of no length (a wedge), and one with a face of no area (a pyramid).
  VolumeMesh collapsed = test::make_box(BoxCells::hexes, {1, 1, 1}, 0);
  for (const std::vector<std::int32_t>& top : {std::vector<std::int32_t>{4, 5, 5, 4}, {4, 4, 4, 4}}) {
    std::copy(top.begin(), top.end(), collapsed.blocks[0].vertices.begin() + 4);
    const TriangleMesh skin{{0.1, 0.1, 0.1, 0, 0, 0.4, 0.2, 0.1, 0.05, 0.4, 0.2, 0.3}, {0, 1, 2, 1, 2, 3}, {}};
    EXPECT_LT(largest_error(collapsed, embed_surface(collapsed, skin), affine_field), 2 * round_off);
  }
}

TEST(SurfaceEmbedding, FarFromTheOriginNothingIsLost) {
  VolumeMesh mesh = test::make_box(BoxCells::hexes, cells_along);
  TriangleMesh surface = random_surface(100, 0.1, 3);
  const SurfaceEmbedding near = embed_surface(mesh, surface);
  for (double& x : mesh.vertices) x += 1024;
  for (double& x : surface.vertices) x += 1024;
  const SurfaceEmbedding far = embed_surface(mesh, surface);
  ASSERT_EQ(near.volume_vertices, far.volume_vertices);
  for (std::size_t i = 0; i < near.weights.size(); ++i)  // positions are rounded to 1e-13, on edges of 0.3
    EXPECT_NEAR(near.weights[i], far.weights[i], 1e-11);
}

TEST(SurfaceEmbedding, FarVerticesAreToldOrRefused) {
  const VolumeMesh mesh = test::make_box(BoxCells::hexes, cells_along, 0);
  const auto error_of = [&](const TriangleMesh& surface, const EmbedOptions& options = {}) -> std::string {
    try {
      (void)embed_surface(mesh, surface, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  TriangleMesh surface{{0.1, 0.1, 0.1, 0.5, 0.1, 0.1, 0.5, 0.5, 2.2}, {0, 1, 2}, {}};
  EmbedReport report;
  (void)embed_surface(mesh, surface, {}, &report);
  EXPECT_EQ(report.farthest_vertex, 2);
  EXPECT_NEAR(report.largest_distance, 1, 1e-15);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_NE(report.warnings[0].find("1 surface vertex lies farther outside the volume than an element is large"),
            std::string::npos);
  EXPECT_NE(error_of(surface, {.max_distance = 0.9}).find("vertex 2 of the surface, counted from 0, lies 1 m outside"),
            std::string::npos);
  EXPECT_EQ(error_of(surface, {.max_distance = 1.1}), "");
  EXPECT_NE(error_of(surface, {.max_distance = -1}), "");

  TriangleMesh millimetres = surface, kilometres = surface;
  for (double& x : millimetres.vertices) x *= 1000;
  EXPECT_NE(error_of(millimetres).find("times as large as the volume: are both in metres?"), std::string::npos);
  for (double& x : kilometres.vertices) x /= 1000;
  (void)embed_surface(mesh, kilometres, {}, &report);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_NE(report.warnings[0].find("times smaller than the volume"), std::string::npos);

  // A vertex in no triangle may lie anywhere, and keeps its place.
  surface.vertices[8] = 1;
  surface.vertices.insert(surface.vertices.begin(), {1000, 0, 0});
  for (auto& v : surface.triangles) ++v;
  const SurfaceEmbedding embedded = embed_surface(mesh, surface, {}, &report);
  EXPECT_EQ(embedded.vertex_count(), 4);
  EXPECT_EQ(report.outside, 1);
  EXPECT_EQ(report.largest_distance, 0);
  EXPECT_TRUE(report.warnings.empty());
}

// Squares of such distances overflow; whatever element comes first, it isn't the nearest then.
TEST(SurfaceEmbedding, DistancesThatOverflowAreRefused) {
  VolumeMesh mesh = make_box({.cells_x = 2}).mesh;
  mesh.blocks.insert(mesh.blocks.begin(), ElementBlock{.type = ElementType::tet4, .vertices = {}});
  TriangleMesh surface{{0, 0, 0, 1, 0, 0, 0, 1e200, 0}, {0, 1, 2}, {}};
  EXPECT_THROW((void)embed_surface(mesh, surface), InputError);
  EXPECT_THROW((void)embed_surface(mesh, surface, {.max_distance = std::numeric_limits<double>::infinity()}),
               InputError);
  surface.vertices[7] = 0.1;
  EXPECT_EQ(embed_surface(mesh, surface).vertex_count(), 3);
}

TEST(SurfaceEmbedding, WeightsMustSumToOne) {
  const VolumeMesh mesh = make_box({.cells_x = 2}).mesh;
  const SurfaceEmbedding sound = boundary_surface(mesh);
  const Eigen::VectorXd field = Eigen::VectorXd::Ones(3 * mesh.vertex_count());
  EXPECT_NO_THROW((void)surface_basis(sound, field));
  for (const double weight : {std::numeric_limits<double>::infinity(), std::nan(""), 1e300, 0.0, 1 + 1e-10}) {
    SurfaceEmbedding damaged = sound;
    damaged.weights[3] = weight;
    EXPECT_THROW((void)surface_basis(damaged, field), InputError) << weight;
  }
  SurfaceEmbedding twice = sound;  // weights that cancel in all digits
  twice.width = 2;
  twice.volume_vertices.assign(2 * sound.volume_vertices.size(), 0);
  twice.weights.clear();
  for (std::size_t v = 0; v < sound.weights.size(); ++v) twice.weights.insert(twice.weights.end(), {1e12, -1e12});
  EXPECT_THROW((void)surface_basis(twice, field), InputError);
}

TEST(SurfaceEmbedding, UnsoundInputIsRefused) {
  const VolumeMesh mesh = test::make_box(BoxCells::hexes, {1, 1, 1});
  EXPECT_THROW((void)embed_surface(mesh, {}), InputError);
  EXPECT_THROW((void)embed_surface(mesh, TriangleMesh{{0, 0, 0}, {}, {}}), InputError);
  EXPECT_THROW((void)embed_surface(mesh, TriangleMesh{{0, 0, 0}, {0, 0, 1}, {}}), InputError);
  EXPECT_THROW((void)embed_surface(mesh, TriangleMesh{{0, 0, NAN}, {0, 0, 0}, {}}), InputError);
  EXPECT_THROW((void)embed_surface({}, TriangleMesh{{0, 0, 0}, {0, 0, 0}, {}}), InputError);
  VolumeMesh bad = mesh;
  bad.blocks[0].vertices[3] = 8;
  EXPECT_THROW((void)embed_surface(bad, TriangleMesh{{0, 0, 0}, {0, 0, 0}, {}}), InputError);
  VolumeMesh pyramid;
  pyramid.vertices = mesh.vertices;
  pyramid.blocks = {{ElementType::pyramid5, {0, 1, 2, 3, 4}}};
  EXPECT_THROW((void)embed_surface(pyramid, TriangleMesh{{0, 0, 0}, {0, 0, 0}, {}}), InputError);

  const SurfaceEmbedding surface = embed_surface(mesh, TriangleMesh{{0.1, 0.1, 0.1}, {0, 0, 0}, {}});
  EXPECT_THROW((void)surface_basis(surface, MatrixXd::Zero(25, 1)), InputError);
  EXPECT_THROW((void)surface_basis(surface, MatrixXd::Zero(21, 1)), InputError);
  EXPECT_EQ(surface_basis(surface, MatrixXd::Zero(24, 0)).cols, 0);
  EXPECT_THROW((void)volume_forces(surface, std::vector<double>(6), 8), InputError);
  EXPECT_THROW((void)volume_forces(surface, std::vector<double>(3), 7), InputError);
}

// ---- normals -------------------------------------------------------------------------------------------------

/// A sphere of the unit radius, (longitudes x latitudes); the seam's vertices are there twice, the poles many times.
TriangleMesh sphere(int longitudes, int latitudes) {
  TriangleMesh surface;
  for (int j = 0; j <= latitudes; ++j)
    for (int i = 0; i <= longitudes; ++i) {
      const double phi = 2 * std::numbers::pi * (i % longitudes) / longitudes, theta = std::numbers::pi * j / latitudes;
      const double radius = j == 0 || j == latitudes ? 0 : std::sin(theta);
      surface.vertices.insert(surface.vertices.end(),
                              {radius * std::cos(phi), radius * std::sin(phi), std::cos(theta)});
    }
  const auto v = [&](int i, int j) { return j * (longitudes + 1) + i; };
  for (int j = 0; j < latitudes; ++j)
    for (int i = 0; i < longitudes; ++i) {
      if (j > 0) surface.triangles.insert(surface.triangles.end(), {v(i, j), v(i, j + 1), v(i + 1, j)});
      if (j + 1 < latitudes)
        surface.triangles.insert(surface.triangles.end(), {v(i + 1, j), v(i, j + 1), v(i + 1, j + 1)});
    }
  return surface;
}

std::vector<double> normals_of(const VertexNormals& normals, const std::vector<double>& positions) {
  std::vector<double> result(positions.size());
  normals.compute<double>(positions, result);
  return result;
}

TEST(VertexNormals, OfASphereAreItsRadii) {
  double errors[2] = {};
  for (const int refinement : {0, 1}) {
    const TriangleMesh surface = sphere(40 << refinement, 20 << refinement);
    const VertexNormals joined(surface.triangles, surface.vertex_count(), surface.vertices);
    const auto normals = normals_of(joined, surface.vertices);
    for (std::int64_t v = 0; v < surface.vertex_count(); ++v) {
      EXPECT_NEAR(point(normals, v).norm(), 1, 4e-16);
      errors[refinement] = std::max(errors[refinement], (point(normals, v) - point(surface.vertices, v)).norm());
    }
    // At the seam, both vertices have the same normal, to the bit; apart from each other they don't.
    const int row = 5 * ((40 << refinement) + 1);
    EXPECT_EQ(point(normals, row), point(normals, row + (40 << refinement)));
    const auto apart = normals_of(VertexNormals(surface.triangles, surface.vertex_count()), surface.vertices);
    EXPECT_NE(point(apart, row), point(apart, row + (40 << refinement)));
    EXPECT_EQ(point(apart, row + 1), point(normals, row + 1));
  }
  EXPECT_LT(errors[0], 0.06);
  EXPECT_LT(errors[1], 0.55 * errors[0]);  // of first order at least
}

TEST(VertexNormals, TurnWithTheSurface) {
  const TriangleMesh surface = sphere(12, 7);
  const VertexNormals normals(surface.triangles, surface.vertex_count(), surface.vertices);
  const Matrix3d turn = Eigen::AngleAxisd(1.1, Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
  std::vector<double> squeezed = surface.vertices, turned;
  for (std::size_t i = 2; i < squeezed.size(); i += 3) squeezed[i] *= 0.3;
  turned.resize(squeezed.size());
  for (std::int64_t v = 0; v < surface.vertex_count(); ++v)
    Vector3d::Map(turned.data() + 3 * v) = 7 * turn * point(squeezed, v) + Vector3d(1, 2, 3);
  const auto before = normals_of(normals, squeezed), after = normals_of(normals, turned);
  for (std::int64_t v = 0; v < surface.vertex_count(); ++v)
    EXPECT_LT((turn * point(before, v) - point(after, v)).norm(), 1e-13);
  // In single precision as in double: edges of 0.1 in numbers of 1, each with an error of 2^-25.
  const std::vector<float> single(squeezed.begin(), squeezed.end());
  std::vector<float> result(single.size());
  normals.compute<float>(single, result);
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], before[i], 2e-6);
}

TEST(VertexNormals, OfADeformedSheetAreItsGradient) {
  // z = f(x, y) has the normal (-df/dx, -df/dy, 1): by central differences on a sheet of fine triangles.
  constexpr int cells = 200;
  TriangleMesh sheet;
  const auto height = [](double x, double y) { return 0.2 * std::sin(3 * x) * std::cos(2 * y) + 0.1 * x * y; };
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i) {
      const double x = 1.0 * i / cells, y = 1.0 * j / cells;
      sheet.vertices.insert(sheet.vertices.end(), {x, y, height(x, y)});
      const std::int32_t v = j * (cells + 1) + i, w = v + cells + 1;
      if (i < cells && j < cells) sheet.triangles.insert(sheet.triangles.end(), {v, v + 1, w, v + 1, w + 1, w});
    }
  const auto normals = normals_of(VertexNormals(sheet.triangles, sheet.vertex_count()), sheet.vertices);
  for (int j = 1; j < cells; ++j)
    for (int i = 1; i < cells; ++i) {
      const double x = 1.0 * i / cells, y = 1.0 * j / cells, h = 1e-5;
      const Vector3d exact((height(x - h, y) - height(x + h, y)) / (2 * h),
                           (height(x, y - h) - height(x, y + h)) / (2 * h), 1);
      // The six triangles around a vertex lie symmetrically: an error of second order in 1 / cells.
      EXPECT_LT((point(normals, j * (cells + 1) + i) - exact.normalized()).norm(), 1e-4);
    }
}

TEST(VertexNormals, ZeroWhereThereIsNone) {
  // Two triangles back to back, one without area, and a vertex of none.
  const std::vector<double> positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5, 0, 0, 2};
  const std::vector<std::int32_t> triangles = {0, 1, 2, 0, 2, 1, 3, 3, 0};
  const auto normals = normals_of(VertexNormals(triangles, 5), positions);
  EXPECT_EQ(normals, std::vector<double>(15, 0.0));
  EXPECT_THROW(VertexNormals(triangles, 3), InputError);
  EXPECT_THROW(VertexNormals(std::vector<std::int32_t>{0, 1}, 3), InputError);
  EXPECT_THROW(VertexNormals(triangles, 5, std::vector<double>(3)), InputError);
  std::vector<double> few(3);
  EXPECT_THROW(VertexNormals(triangles, 5).compute<double>(positions, few), InputError);
  EXPECT_EQ(VertexNormals({}, 0).vertex_count(), 0);
}

}  // namespace
}  // namespace quartic
