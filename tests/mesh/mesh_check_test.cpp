// What the check of a mesh finds and what strict users are told; how it bears damaged meshes.
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/grids.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::grid;
using test::has_warning;

TEST(MeshCheck, TheWorstElementIsNamed) {
  for (const bool tetrahedra : {true, false}) {
    VolumeMesh mesh = grid(3, 2, 2, tetrahedra);
    EXPECT_EQ(check_mesh(mesh).slivers, 0);
    // A copy of the first element on vertices of its own, almost flat or, since a brick is measured by its angles,
    // sheared by as much.
    const auto width = static_cast<std::size_t>(element_vertex_count(mesh.blocks[0].type));
    for (std::size_t a = 0; a < width; ++a) {
      const auto v = static_cast<std::size_t>(mesh.blocks[0].vertices[a]);
      std::array<double, 3> x{mesh.vertices[3 * v], mesh.vertices[3 * v + 1], mesh.vertices[3 * v + 2]};
      if (tetrahedra)
        x[2] *= 1e-5;
      else
        x[0] += 1e5 * x[2];
      mesh.blocks[0].vertices.push_back(static_cast<std::int32_t>(mesh.vertex_count()));
      for (const double c : x) mesh.vertices.push_back(c + 10);
    }
    mesh.element_region.push_back(0);
    const MeshReport report = check_mesh(mesh);
    EXPECT_EQ(report.worst_element, mesh.element_count() - 1);
    EXPECT_LT(report.worst_quality, 2e-5);
    EXPECT_EQ(report.slivers, 1);
    EXPECT_TRUE(has_warning(report, "1 element is almost flat (quality below 0.001); the worst is element " +
                                        std::to_string(mesh.element_count() - 1)));
    EXPECT_EQ(report.degenerate, 0);
  }
}

// Meshes that programs put together may hold anything. The check says so and goes on as far as it can.
TEST(MeshCheck, TheCheckSurvivesAnything) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const bool tetrahedra : {true, false}) {
    const VolumeMesh sound = grid(2, 2, 2, tetrahedra);
    for (const double value : {nan, infinity, -infinity}) {
      VolumeMesh mesh = sound;
      mesh.vertices[3 * 13] = value;  // the middle
      const MeshReport report = check_mesh(mesh);
      EXPECT_TRUE(has_warning(report, "1 coordinate isn't a finite number"));
      EXPECT_GT(report.degenerate, 0);
      EXPECT_EQ(report.components, 1);
      EXPECT_EQ(report.coincident_vertices, 0);
      for (double& x : mesh.vertices) x = value;
      EXPECT_EQ(check_mesh(mesh).degenerate, mesh.element_count());
    }
    for (const double scale : {1e150, 1e300, 1e-150, 1e-300, 0.0}) {
      VolumeMesh mesh = sound;
      for (double& x : mesh.vertices) x *= scale;
      const MeshReport report = check_mesh(mesh);
      EXPECT_EQ(report.coincident_vertices, scale > 0 ? 0 : mesh.vertex_count() - 1) << scale;
    }
    VolumeMesh mesh = sound;
    mesh.blocks[0].vertices[3] = -1;
    EXPECT_TRUE(has_warning(check_mesh(mesh), "1 vertex reference is outside"));
    mesh = sound;
    mesh.blocks[0].vertices.pop_back();
    EXPECT_TRUE(has_warning(check_mesh(mesh), "block are no multiple of"));
    mesh = sound;
    mesh.vertices.push_back(0);
    EXPECT_TRUE(has_warning(check_mesh(mesh), "no multiple of three"));
    mesh = sound;
    mesh.vertex_sets["ends"] = {0, 99, -1};
    EXPECT_TRUE(has_warning(check_mesh(mesh), "vertex set 'ends': 2 numbers are outside"));
    mesh = sound;
    mesh.element_region.assign(mesh.element_region.size(), 7);
    mesh.element_region[0] = -5;
    EXPECT_EQ(check_mesh(mesh).elements_without_region, mesh.element_count());
    mesh.element_region.clear();
    EXPECT_EQ(check_mesh(mesh).elements_without_region, mesh.element_count());
  }
  const MeshReport nothing = check_mesh({});
  EXPECT_EQ(nothing.worst_element, -1);
  EXPECT_TRUE(has_warning(nothing, "no volume elements"));
}

TEST(MeshCheck, VerticesOutsideAllElementsChangeNothing) {
  VolumeMesh mesh = grid(2, 2, 2, true);
  for (double& x : mesh.vertices) x *= 1e-4;
  mesh.vertices.insert(mesh.vertices.end(), {1e30, -1e30, 1e30});
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.degenerate, 0);
  EXPECT_EQ(report.coincident_vertices, 0);
  EXPECT_EQ(report.warnings.size(), 1U);
  EXPECT_TRUE(report.hints.empty());
}

// A body of the size and the material that are given.
MeshReport check_sized(double extent, std::optional<Material> material) {
  VolumeMesh mesh = grid(4, 1, 1, false);
  for (double& x : mesh.vertices) x *= extent / 4;
  mesh.regions[0].material = material;
  return check_mesh(mesh);
}

TEST(MeshCheck, UnitsAreDoubtedForAReason) {
  const Material steel{2.1e11, 0.3, 7850}, concrete{3e10, 0.2, 2400}, aerogel{1e4, 0.1, 1.5}, foam{1e5, 0.2, 20};
  const Material steel_in_mm_t_s{2.1e5, 0.3, 7.85e-9}, foam_in_mm_t_s{0.1, 0.2, 2e-11};
  const Material steel_in_mm_kg_ms{210, 0.3, 7.85e-6}, steel_in_mm_g_ms{2.1e5, 0.3, 7.85e-3};
  for (const double extent : {1e-4, 0.1, 60.0, 99.0})
    for (const Material& material : {steel, concrete, aerogel, foam})
      EXPECT_TRUE(check_sized(extent, material).hints.empty()) << extent;
  EXPECT_TRUE(check_sized(60, std::nullopt).hints.empty());
  for (const auto& [material, units, scale] :
       {std::tuple(steel_in_mm_t_s, "millimetres, tonnes and seconds", "density by 1e12"),
        std::tuple(foam_in_mm_t_s, "millimetres, tonnes and seconds", "density by 1e12"),
        std::tuple(steel_in_mm_kg_ms, "millimetres, kilograms and milliseconds", "density by 1e9"),
        std::tuple(steel_in_mm_g_ms, "millimetres, grams and milliseconds", "density by 1e6")})
    for (const double extent : {5.0, 60.0, 1200.0}) {
      const MeshReport report = check_sized(extent, material);
      ASSERT_EQ(report.hints.size(), 1U);
      EXPECT_NE(report.hints[0].find(units), std::string::npos) << report.hints[0];
      EXPECT_NE(report.hints[0].find(scale), std::string::npos) << report.hints[0];
      EXPECT_TRUE(report.warnings.empty());  // a hint is no defect
    }
  for (const auto& material : {std::optional(steel), std::optional<Material>()}) {
    const MeshReport report = check_sized(120, material);
    ASSERT_EQ(report.hints.size(), 1U);
    EXPECT_NE(report.hints[0].find("extent is 120 m"), std::string::npos) << report.hints[0];
  }
}

TEST(MeshCheck, StrictUsersAreToldOfEveryRepair) {
  const auto message = [](const VolumeMesh& mesh) -> std::string {
    try {
      require_no_repairs(mesh);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  for (const bool tetrahedra : {true, false}) {
    VolumeMesh mesh = grid(2, 1, 1, tetrahedra);
    EXPECT_EQ(message(mesh), "");
    const auto width = static_cast<std::size_t>(element_vertex_count(mesh.blocks[0].type));
    auto& vertices = mesh.blocks[0].vertices;
    const std::vector<std::int32_t> second(vertices.begin() + static_cast<std::ptrdiff_t>(width),
                                           vertices.begin() + static_cast<std::ptrdiff_t>(2 * width));
    vertices.insert(vertices.end(), second.begin(), second.end());
    mesh.element_region.push_back(0);
    EXPECT_NE(message(mesh).find(tetrahedra ? "1 of 13 tets has the same vertices as another one"
                                            : "1 of 3 hexahedra has the same vertices as another one"),
              std::string::npos)
        << message(mesh);
    mesh.vertices.insert(mesh.vertices.end(), {5, 5, 5, 6, 6, 6});
    EXPECT_NE(message(mesh).find("2 of 14 vertices belong to no element (first: vertex 12, counted from 0)"),
              std::string::npos)
        << message(mesh);
    auto* last = vertices.data() + vertices.size() - width;
    if (tetrahedra)
      std::swap(last[0], last[1]);
    else
      std::swap_ranges(last, last + 4, last + 4);
    EXPECT_NE(message(mesh).find(tetrahedra ? "1 of 13 tets has the wrong winding (first: element 12, counted from 0)"
                                            : "1 of 3 hexahedra has the wrong winding (first: element 2, counted"),
              std::string::npos)
        << message(mesh);
    EXPECT_NE(message(mesh).find("belong to no element"), std::string::npos);  // all of them at once
  }
}

}  // namespace
}  // namespace quartic
