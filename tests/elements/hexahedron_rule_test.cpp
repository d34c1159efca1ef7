// hex8 with Gauss's rule of two points per axis, by itself and against another program's eigenvalues.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cctype>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "quartic/quartic.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::BoxCells;

VolumeMesh with_rule(VolumeMesh mesh, HexahedronRule rule) {
  for (ElementBlock& block : mesh.blocks) block.hexahedron_rule = rule;
  return mesh;
}

VolumeMesh two_points(VolumeMesh mesh) {
  return with_rule(std::move(mesh), HexahedronRule::gauss_2x2x2);
}

double difference(const SparseMatrix& a, const SparseMatrix& b) {
  const MatrixXd ours = a.map(), theirs = b.map();
  return (ours - theirs).cwiseAbs().maxCoeff() / theirs.cwiseAbs().maxCoeff();
}

// Stiffness at rest and mass are of degree 2 in each coordinate there, the energy of degree 4.
TEST(HexahedronRule, MatricesOfParallelepipedsAreExactWithBoth) {
  VolumeMesh mesh = test::make_box(BoxCells::hexes, {3, 2, 2}, 0);
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) mesh.vertices[v] += 0.4 * mesh.vertices[v + 2];  // sheared
  EXPECT_LE(difference(stiffness_matrix(two_points(mesh)), stiffness_matrix(mesh)), 1e-14);
  EXPECT_LE(difference(mass_matrix(two_points(mesh)), mass_matrix(mesh)), 1e-14);
  EXPECT_LE(difference(mass_matrix(two_points(mesh), MassMatrix::lumped), mass_matrix(mesh, MassMatrix::lumped)),
            1e-14);
  auto u = test::random_numbers(mesh.vertices.size(), 1);
  for (double& x : u) x *= 0.1;
  const double energy = strain_energy(mesh, u);
  EXPECT_GT(std::abs(strain_energy(two_points(mesh), u) / energy - 1), 1e-3);
}

// By the textbook's formulas, one element: the sum over points (+-1, +-1, +-1) / sqrt 3 with weights 1.
TEST(HexahedronRule, EnergyAndMassAreSumsOverEightPoints) {
  std::vector<std::int32_t> global;
  const VolumeMesh box = test::make_box(BoxCells::hexes, {2, 2, 2});
  const VolumeMesh mesh = two_points(test::single_element(box, box.blocks[0], 0, 0, global));
  auto u = test::random_numbers(24, 2);
  for (double& x : u) x *= 0.1;
  const Eigen::Map<const Eigen::Matrix<double, 3, 8>> position(mesh.vertices.data()), displacement(u.data());
  constexpr int sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                              {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  const double lambda = lame_lambda(test::soft), mu = lame_mu(test::soft);
  double energy = 0;
  MatrixXd mass = MatrixXd::Zero(8, 8);
  for (const auto& point : sign) {
    VectorXd n(8);
    Eigen::Matrix<double, 8, 3> slope;
    for (int a = 0; a < 8; ++a) {
      double f[3];
      for (int c = 0; c < 3; ++c) f[c] = 0.5 * (1 + sign[a][c] * point[c] / std::sqrt(3.0));
      n[a] = f[0] * f[1] * f[2];
      for (int c = 0; c < 3; ++c) slope(a, c) = 0.5 * sign[a][c] * f[(c + 1) % 3] * f[(c + 2) % 3];
    }
    const Matrix3d jacobian = position * slope;
    const Matrix3d a = displacement * slope * jacobian.inverse();
    const Matrix3d strain = 0.5 * (a + a.transpose() + a.transpose() * a);
    energy += jacobian.determinant() * (0.5 * lambda * strain.trace() * strain.trace() + mu * strain.squaredNorm());
    mass += jacobian.determinant() * test::soft.density * n * n.transpose();
  }
  EXPECT_NEAR(strain_energy(mesh, u), energy, 1e-13 * energy);
  const MatrixXd ours = mass_matrix(mesh).map();
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b) EXPECT_NEAR(ours(3 * a, 3 * b), mass(a, b), 1e-14 * mass.maxCoeff());
  VolumeMesh three = with_rule(mesh, HexahedronRule::gauss_3x3x3);
  EXPECT_GT(difference(stiffness_matrix(mesh), stiffness_matrix(three)), 1e-5);  // a distorted element
}

TEST(HexahedronRule, ForceAndStiffnessAreDerivativesOfItsEnergy) {
  const VolumeMesh mesh = two_points(test::make_box(BoxCells::alternating, {3, 2, 2}));
  const auto n = std::ssize(mesh.vertices);
  const VectorXd u = 0.05 * VectorXd::Map(test::random_numbers(mesh.vertices.size(), 1).data(), n);
  const VectorXd d = 0.05 * VectorXd::Map(test::random_numbers(mesh.vertices.size(), 2).data(), n);
  const auto span = [](const VectorXd& x) {
    return std::span<const double>(x.data(), static_cast<std::size_t>(x.size()));
  };
  const auto energy = [&](double t) { return strain_energy(mesh, span(u + t * d)); };
  const auto force = [&](double t) {
    const auto r = internal_force(mesh, span(u + t * d));
    return VectorXd(VectorXd::Map(r.data(), n));
  };
  constexpr double h = 0.5;  // exact for quartics
  EXPECT_NEAR((energy(-2 * h) - energy(2 * h) + 8 * (energy(h) - energy(-h))) / (12 * h), force(0).dot(d),
              1e-12 * force(0).norm() * d.norm());
  const VectorXd slope = (force(-2 * h) - force(2 * h) + 8 * (force(h) - force(-h))) / (12 * h);
  const SparseMatrix k = tangent_stiffness(mesh, span(u));
  EXPECT_LE((slope - k.map() * d).norm(), 1e-12 * slope.norm());
  const MatrixXd at_rest = stiffness_matrix(mesh).map();
  const VectorXd eigenvalues = test::eigenvalues(at_rest);
  EXPECT_LE(eigenvalues.head(6).cwiseAbs().maxCoeff(), 1e-13 * eigenvalues.tail(1)[0]);
  EXPECT_GE(eigenvalues[6], 1e-5 * eigenvalues.tail(1)[0]);  // no mode but the rigid ones
}

// ---- models --------------------------------------------------------------------------------------------------------

class HexahedronRuleModels : public testing::Test {
 protected:
  const VolumeMesh mesh_ = two_points(test::make_box(BoxCells::alternating, {4, 2, 2}));
  const ReducedModel model_ =
      reduce(mesh_, vertices_in_box(mesh_, {0, -1, -1, 0, 9, 9}), {.modes = 4, .rank = 6, .region_parts = true});
  test::TemporaryFolder folder_;
};

TEST_F(HexahedronRuleModels, ReducedEnergyAndMassGoByIt) {
  const auto q = test::random_numbers(6, 3);
  const VectorXd u = model_.basis.map() * VectorXd::Map(q.data(), 6);
  const std::span<const double> span(u.data(), mesh_.vertices.size());
  const double energy = evaluate(model_.energy, q).energy;
  EXPECT_NEAR(energy, strain_energy(mesh_, span), 1e-11 * energy);
  const VolumeMesh three = with_rule(mesh_, HexahedronRule::gauss_3x3x3);
  EXPECT_GT(std::abs(strain_energy(three, span) / energy - 1), 1e-5);
  EXPECT_LE(orthonormality_error(model_.basis.map(), mass_matrix(mesh_)), 1e-12);
  EXPECT_GT(orthonormality_error(model_.basis.map(), mass_matrix(three)), 1e-7);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(6, 6);  // parts per region have the same rule
  for (std::size_t g = 0; g < 2; ++g) sum += mesh_.regions[g].material->density * model_.region_mass[g].map();
  EXPECT_LE((sum - Eigen::MatrixXd::Identity(6, 6)).cwiseAbs().maxCoeff(), 1e-12);
}

nlohmann::json metadata_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), 8);
  std::string header(length, ' ');
  file.read(header.data(), static_cast<std::streamsize>(length));
  return nlohmann::json::parse(header)["__metadata__"];
}

// The same file with another value of the same length, so that the header's length stays.
void replace_in_file(const std::filesystem::path& path, const std::string& from, const std::string& to) {
  std::ifstream in(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), {}};
  ASSERT_NE(content.find(from), std::string::npos);
  content.replace(content.find(from), from.size(), to);
  std::ofstream(path, std::ios::binary) << content;
}

TEST_F(HexahedronRuleModels, GoesThroughFiles) {
  const auto path = folder_ / "m.qrt";
  save_model(model_, path);
  EXPECT_EQ(metadata_of(path)["hexahedron_rule"], "2x2x2");
  const auto rule_of_hexahedra = [&] { return load_model(path).mesh.blocks.at(1).hexahedron_rule; };
  EXPECT_EQ(rule_of_hexahedra(), HexahedronRule::gauss_2x2x2);
  EXPECT_EQ(load_model(path).mesh.blocks[0].hexahedron_rule, HexahedronRule::gauss_3x3x3);  // of tetrahedra
  EXPECT_FALSE(load_model(path).unknown_metadata.contains("hexahedron_rule"));
  replace_in_file(path, "2x2x2", "3x3x3");
  EXPECT_EQ(rule_of_hexahedra(), HexahedronRule::gauss_3x3x3);
  replace_in_file(path, "3x3x3", "4x4x4");
  try {
    (void)load_model(path);
    FAIL() << "not refused";
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("hexahedron_rule is '4x4x4'"), std::string::npos) << error.what();
  }
}

TEST_F(HexahedronRuleModels, TheDefaultIsNotWritten) {
  ReducedModel model = model_;
  model.mesh = with_rule(model.mesh, HexahedronRule::gauss_3x3x3);
  save_model(model, folder_ / "m.qrt");
  EXPECT_FALSE(metadata_of(folder_ / "m.qrt").contains("hexahedron_rule"));
  EXPECT_EQ(load_model(folder_ / "m.qrt").mesh.blocks.at(1).hexahedron_rule, HexahedronRule::gauss_3x3x3);
}

// ---- CalculiX ------------------------------------------------------------------------------------------------------

/// As much of CalculiX's deck as beam8f.inp has.
struct Deck {
  VolumeMesh mesh;
  std::vector<std::int32_t> fixed;
};

Deck read_deck(const std::filesystem::path& path) {
  Deck deck;
  ElementBlock hexahedra{ElementType::hex8, {}};
  Material material;
  std::ifstream file(path);
  std::string line, section;
  while (std::getline(file, line)) {
    if (line.starts_with("**")) continue;
    std::erase_if(line, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
    if (line.starts_with('*')) {
      section = line;
      continue;
    }
    std::vector<double> numbers;
    std::stringstream fields(line);
    for (std::string field; section != "*BOUNDARY" && std::getline(fields, field, ',');)
      numbers.push_back(std::stod(field));
    if (section == "*NODE,NSET=Nall")
      deck.mesh.vertices.insert(deck.mesh.vertices.end(), numbers.begin() + 1, numbers.end());
    if (section == "*ELEMENT,TYPE=C3D8,ELSET=Eall")
      for (std::size_t a = 1; a < numbers.size(); ++a)
        hexahedra.vertices.push_back(static_cast<std::int32_t>(numbers[a]) - 1);
    if (section == "*NSET,NSET=FIX") deck.fixed.push_back(static_cast<std::int32_t>(numbers.at(0)) - 1);
    if (section == "*ELASTIC") material.youngs_modulus = numbers.at(0), material.poissons_ratio = numbers.at(1);
    if (section == "*DENSITY") material.density = numbers.at(0);
  }
  deck.mesh.blocks = {hexahedra};
  deck.mesh.element_region.assign(static_cast<std::size_t>(hexahedra.count()), 0);
  deck.mesh.regions = {{"EL", material}};
  return deck;
}

// The column of eigenvalues of a .dat file.
std::vector<double> read_eigenvalues(const std::filesystem::path& path, int count) {
  std::ifstream file(path);
  std::vector<double> values;
  for (std::string line; std::getline(file, line) && std::ssize(values) < count;) {
    std::stringstream fields(line);
    int mode = 0;
    double value = 0;
    if (fields >> mode >> value && mode == std::ssize(values) + 1) values.push_back(value);
  }
  return values;
}

// The vertices inside pushed aside, so that the elements are no parallelepipeds.
VolumeMesh distorted(VolumeMesh mesh) {
  const auto noise = test::random_numbers(mesh.vertices.size(), 5);
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3)
    if (mesh.vertices[v] > 0.1 && mesh.vertices[v] < 0.9 && mesh.vertices[v + 1] > 0.1 && mesh.vertices[v + 1] < 1.4)
      for (std::size_t c = 0; c < 2; ++c) mesh.vertices[v + c] += 0.08 * noise[v + c];
  return mesh;
}

// CalculiX's C3D8 has 2 x 2 x 2 points. In this beam of bricks both rules are exact for K and M, and so both must give
// its seven digits (half a unit of the last, and 1e-9 for the solvers); in distorted ones they differ.
TEST(HexahedronRule, EigenvaluesAreCalculixs) {
  QUARTIC_NEED_DATA(folder, "public/calculix");
  const Deck deck = read_deck(folder / "beam8f.inp");
  ASSERT_EQ(deck.mesh.element_count(), 256);
  ASSERT_EQ(deck.fixed.size(), 25U);
  const std::vector<double> expected = read_eigenvalues(folder / "beam8f.dat.ref", 10);
  ASSERT_EQ(expected.size(), 10U);
  const auto eigenvalues = [&](const VolumeMesh& mesh) {
    return linear_modes(ElasticSystem(mesh, deck.fixed), {.count = 10}).eigenvalues;
  };
  for (const HexahedronRule rule : {HexahedronRule::gauss_2x2x2, HexahedronRule::gauss_3x3x3}) {
    const std::vector<double> ours = eigenvalues(with_rule(deck.mesh, rule));
    for (std::size_t j = 0; j < 10; ++j) {
      const double digit = std::pow(10.0, std::floor(std::log10(expected[j])) - 6);
      EXPECT_NEAR(ours[j], expected[j], 0.5 * digit + 1e-9 * expected[j]) << j;
    }
  }
  const VolumeMesh irregular = distorted(deck.mesh);
  const auto two = eigenvalues(two_points(irregular)), three = eigenvalues(irregular);
  EXPECT_GT(std::abs(two[0] / three[0] - 1), 1e-5);
}

}  // namespace
}  // namespace quartic
