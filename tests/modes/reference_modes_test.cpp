// Mass, rigid motions and linear modes of real meshes and of tricky small ones, against another program's values.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "quartic/fem.hpp"
#include "quartic/mesh.hpp"
#include "quartic/modes.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

constexpr std::array both_methods = {ModesMethod::lobpcg, ModesMethod::lanczos};

/// The table prints nine significant digits (trailing zeros left out): half a unit of the last, and 1e-10 relative for
/// the two eigensolvers' own errors.
double nine_digits(double value) {
  return 0.5 * std::pow(10.0, std::floor(std::log10(value)) - 8) + 1e-10 * value;
}

/// The log prints five or six decimals of numbers above 80.
double log_digits(double value) {
  return 1e-8 * value;
}

/// Each vertex' mass counts once per direction.
double total_mass(const VolumeMesh& mesh, MassMatrix kind) {
  const SparseMatrix mass = mass_matrix(mesh, kind);
  return std::reduce(mass.values.begin(), mass.values.end()) / 3;
}

/// Expects the lowest elastic eigenvalues by both methods.
void expect_eigenvalues(const VolumeMesh& mesh, const std::vector<std::int32_t>& fixed, MassMatrix kind,
                        const std::vector<double>& expected, double (*tolerance)(double) = log_digits) {
  const ElasticSystem system(mesh, fixed, kind);
  for (const ModesMethod method : both_methods) {
    SCOPED_TRACE(method == ModesMethod::lobpcg ? "lobpcg" : "lanczos");
    const LinearModes modes = linear_modes(system, {.count = static_cast<int>(expected.size()), .method = method});
    ASSERT_EQ(modes.eigenvalues.size(), expected.size());
    for (std::size_t j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(modes.eigenvalues[j], expected[j], tolerance(expected[j])) << j;
  }
}

// ---- the table of real meshes ----------------------------------------------------------------------------------

struct TableRow {
  std::string mesh, fixed;
  std::size_t fixed_vertices = 0;
  std::int64_t free_dofs = 0;
  double mass = 0;
  MassMatrix mass_matrix = MassMatrix::consistent;
  int rigid_modes = 0;
  std::vector<double> eigenvalues;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// The rows whose mesh `read_mesh` reads.
std::vector<TableRow> readable_rows(const std::filesystem::path& path) {
  std::ifstream table(path);
  std::vector<TableRow> rows;
  std::string line;
  std::getline(table, line);  // the columns' names
  while (std::getline(table, line)) {
    const std::vector<std::string> columns = split(line, '\t');
    if (columns.size() < 8) continue;
    const std::string extension = std::filesystem::path(columns[0]).extension();
    if (extension != ".veg" && extension != ".node" && extension != ".ele") continue;
    TableRow row{.mesh = columns[0],
                 .fixed = columns[1],
                 .fixed_vertices = std::stoul(columns[2]),
                 .free_dofs = std::stoll(columns[3]),
                 .mass = std::stod(columns[4]),
                 .mass_matrix = columns[5] == "lumped" ? MassMatrix::lumped : MassMatrix::consistent,
                 .rigid_modes = std::stoi(columns[6]),
                 .eigenvalues = {}};
    for (const std::string& value : split(columns[7], ' ')) row.eigenvalues.push_back(std::stod(value));
    rows.push_back(row);
  }
  return rows;
}

TEST(ReferenceModes, OfRealMeshesAreThoseOfTheTable) {
  QUARTIC_NEED_DATA(folder, "public");
  const std::vector<TableRow> rows = readable_rows(folder / "MODES_REF.tsv");
  ASSERT_GE(rows.size(), 10U);
  for (const TableRow& row : rows) {
    SCOPED_TRACE(row.mesh + (row.mass_matrix == MassMatrix::lumped ? ", lumped" : ", consistent"));
    ASSERT_EQ(row.eigenvalues.size(), 10U);
    const VolumeMesh mesh = read_mesh(folder / row.mesh);
    std::vector<std::int32_t> fixed;  // a free body has no list
    if (std::filesystem::is_regular_file(folder / row.fixed))
      fixed = read_fixed_vertices(folder / row.fixed, mesh.vertex_count());
    EXPECT_EQ(fixed.size(), row.fixed_vertices);
    EXPECT_NEAR(total_mass(mesh, row.mass_matrix), row.mass, nine_digits(row.mass));
    const ElasticSystem system(mesh, fixed, row.mass_matrix);
    EXPECT_EQ(system.free_dof_count(), row.free_dofs);
    EXPECT_EQ(system.rigid_mode_count(), row.rigid_modes);
    expect_eigenvalues(mesh, fixed, row.mass_matrix, row.eigenvalues, nine_digits);
  }
}

// ---- tricky meshes: the numbers are those of tricky/LOG.tsv ------------------------------------------------------

// Row B27: a beam of 1 m x 0.25 m x 0.25 m that nothing holds (20 vertices, 24 tetrahedra, E = 1e6, nu = 0.3,
// rho = 1000); the first eigenvalues [rad^2/s^2] above the rigid motions'.
constexpr double free_beam_mass = 62.5;  // [kg]
const std::vector<double> free_beam_consistent = {5691.37538, 8142.19938, 10039.07527, 18383.10009};
const std::vector<double> free_beam_lumped = {3720.52436, 4841.55586, 5925.79827, 8520.40661};

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// B27: a free body's stiffness is singular, which mustn't spoil the elastic modes.
TEST(ReferenceModes, OfAFreeBeamComeAfterSixRigidMotions) {
  QUARTIC_NEED_DATA(folder, "tricky");
  const VolumeMesh mesh = read_mesh(folder / "b27_free_beam.veg");
  const auto fixed = read_fixed_vertices(folder / "b27_free_beam.bou", mesh.vertex_count());
  EXPECT_TRUE(fixed.empty());
  EXPECT_EQ(mesh.vertex_count(), 20);
  EXPECT_EQ(mesh.element_count(), 24);
  for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
    EXPECT_NEAR(total_mass(mesh, kind), free_beam_mass, 1e-13 * free_beam_mass);
    const ElasticSystem system(mesh, fixed, kind);
    EXPECT_EQ(system.rigid_mode_count(), 6);
    EXPECT_EQ(linear_modes(system, {.count = 4}).rigid_modes, 6);
    expect_eigenvalues(mesh, fixed, kind, kind == MassMatrix::lumped ? free_beam_lumped : free_beam_consistent);
  }
}

// B31: every element wound the wrong way.
TEST(ReferenceModes, OfAnInvertedMeshAreThoseOfThePositiveOne) {
  QUARTIC_NEED_DATA(folder, "tricky");
  VolumeMesh repaired = read_mesh(folder / "b31_all_inverted.veg");
  VolumeMesh positive = repaired;
  for (std::size_t e = 0; e < 5; ++e)  // the file was made by the same exchange
    std::swap(positive.blocks[0].vertices[4 * e + 1], positive.blocks[0].vertices[4 * e + 2]);
  EXPECT_EQ(repair_orientation(repaired), 5);
  EXPECT_EQ(repair_orientation(positive), 0);
  EXPECT_NEAR(check_mesh(repaired).volume, 1, 1e-15);

  const std::vector<std::int32_t> fixed = {0, 1, 2, 3};
  for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
    EXPECT_NEAR(total_mass(repaired, kind), 1000, 1e-12);
    const LinearModes expected = linear_modes(ElasticSystem(positive, fixed, kind), {.count = 6});
    const LinearModes ours = linear_modes(ElasticSystem(repaired, fixed, kind), {.count = 6});
    // Only the order of summation differs, and 1e-15 of the largest of twelve eigenvalues is far below 1e-12 of these.
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(ours.eigenvalues[j] / expected.eigenvalues[j], 1, 1e-12);
  }
}

// B33: two cubes whose diagonals cross on the face that they share. Ten tetrahedra of a 2 m x 1 m x 1 m body, held at
// the four vertices of x = 0; eigenvalues [rad^2/s^2].
TEST(ReferenceModes, OfANonconformingMeshAreComputedAsItIs) {
  QUARTIC_NEED_DATA(folder, "tricky");
  const VolumeMesh mesh = read_mesh(folder / "b33_nonconforming.veg");
  const std::vector<std::int32_t> fixed = {0, 3, 6, 9};
  EXPECT_NEAR(check_mesh(mesh).volume, 2, 1e-15);
  EXPECT_FALSE(check_mesh(mesh).warnings.empty());
  expect_eigenvalues(mesh, fixed, MassMatrix::consistent, {102.187493, 124.952304});
  expect_eigenvalues(mesh, fixed, MassMatrix::lumped, {84.567697, 106.967035});
}

// B35: B27's beam at 1e-4 of its size: eigenvalues are proportional to E / (rho size^2), and nothing may call tiny
// elements flat.
TEST(ReferenceModes, OfATinyBeamAreThoseOfTheLargeOneTimesScale) {
  QUARTIC_NEED_DATA(folder, "tricky");
  const VolumeMesh mesh = read_mesh(folder / "b35_scale_1e-4.veg");
  EXPECT_EQ(check_mesh(mesh).degenerate, 0);
  EXPECT_EQ(check_mesh(mesh).inverted, 0);
  EXPECT_EQ(ElasticSystem(mesh, {}).rigid_mode_count(), 6);
  expect_eigenvalues(mesh, {}, MassMatrix::consistent, scaled(free_beam_consistent, 1e8));
  expect_eigenvalues(mesh, {}, MassMatrix::lumped, scaled(free_beam_lumped, 1e8));
}

// B35b: B27's beam in tonnes, millimetres and seconds, 1e6 mm away from the origin.
TEST(ReferenceModes, OfABeamInMillimetresFarFromTheOriginAreTheSame) {
  QUARTIC_NEED_DATA(folder, "tricky");
  const VolumeMesh mesh = read_mesh(folder / "b35b_mm_offset_1e6.veg");
  EXPECT_EQ(check_mesh(mesh).degenerate, 0);
  EXPECT_EQ(ElasticSystem(mesh, {}).rigid_mode_count(), 6);
  for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped})
    EXPECT_NEAR(total_mass(mesh, kind), 1e-3 * free_beam_mass, 1e-12 * free_beam_mass);
  expect_eigenvalues(mesh, {}, MassMatrix::consistent, free_beam_consistent);
  expect_eigenvalues(mesh, {}, MassMatrix::lumped, free_beam_lumped);
}

}  // namespace
}  // namespace quartic
