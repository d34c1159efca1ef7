// The enclosed volume: against the volume that the elements around it leave of a box, and its derivatives against
// differences, which are exact for a cubic polynomial.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "chambers/hollow.hpp"
#include "core/elements/elements.hpp"
#include "quartic/chambers.hpp"
#include "quartic/error.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Gauss's rule with five points on [0, 1], exact to degree 9.
constexpr std::array<double, 5> places = {0.046910077030668, 0.230765344947158456, 0.5, 0.769234655052841544,
                                          0.953089922969332};
constexpr std::array<double, 5> weights = {0.118463442528094544, 0.239314335249683234, 0.284444444444444444,
                                           0.239314335249683234, 0.118463442528094544};

// The integral of det(dx/dxi) over an element, by the shape functions of the whole element.
double element_volume(const ElementTable& table, const std::vector<Eigen::Vector3d>& x) {
  double volume = 0;
  const bool tetrahedron = table.faces.size() == 4, wedge = table.faces.size() == 5;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      for (std::size_t k = 0; k < 5; ++k) {
        double weight = weights[i] * weights[j] * weights[k];
        std::array<double, 3> xi{places[i], places[j], places[k]};
        if (tetrahedron) {  // x, y (1 - x), z (1 - x) (1 - y)
          weight *= (1 - xi[0]) * (1 - xi[0]) * (1 - xi[1]);
          xi = {xi[0], xi[1] * (1 - xi[0]), xi[2] * (1 - xi[0]) * (1 - xi[1])};
        } else if (wedge) {
          weight *= 2 * (1 - xi[0]);
          xi = {xi[0], xi[1] * (1 - xi[0]), 2 * xi[2] - 1};
        } else {
          weight *= 8;
          for (double& c : xi) c = 2 * c - 1;
        }
        std::vector<std::array<double, 3>> gradients(x.size());
        table.shape_gradient(xi, reinterpret_cast<double(*)[3]>(gradients.data()));
        Eigen::Matrix3d jacobian = Eigen::Matrix3d::Zero();
        for (std::size_t a = 0; a < x.size(); ++a)
          jacobian += x[a] * Eigen::RowVector3d(gradients[a][0], gradients[a][1], gradients[a][2]);
        volume += weight * jacobian.determinant();
      }
  return volume;
}

double solid_volume(const VolumeMesh& mesh, const VectorXd& u) {
  double volume = 0;
  for (const ElementBlock& block : mesh.blocks)
    for (std::int64_t e = 0; e < block.count(); ++e) {
      std::vector<Eigen::Vector3d> x;
      for (const std::int32_t v : block.element(e))
        x.emplace_back(Eigen::Vector3d::Map(mesh.vertices.data() + 3 * std::ptrdiff_t{v}) + u.segment<3>(3 * v));
      volume += element_volume(element_table(block.type), x);
    }
  return volume;
}

// Large displacements of all vertices inside the box, which turn elements inside out: V is a polynomial.
VectorXd random_displacement(const VolumeMesh& mesh, unsigned seed, double size) {
  VectorXd u = VectorXd::Zero(std::ssize(mesh.vertices));
  const std::vector<double> numbers = random_numbers(mesh.vertices.size(), seed);
  for (const std::int32_t v : box_vertices(mesh, false))
    for (Eigen::Index c = 0; c < 3; ++c)
      u[3 * v + c] = size * numbers[3 * static_cast<std::size_t>(v) + static_cast<std::size_t>(c)];
  return u;
}

std::span<const double> span_of(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

// The derivative of a cubic polynomial f(t) at 0.
template <class Function>
std::invoke_result_t<Function, double> slope_of_cubic(const Function& f) {
  return (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / 12;
}

TEST(EnclosedVolumeTest, IsWhatTheElementsLeave) {
  for (const BoxCells cells : conforming_cells) {
    SCOPED_TRACE(name_of(cells));
    const VolumeMesh mesh = hollow_box(cells);
    const std::vector<Chamber> cavities = find_cavities(mesh);
    ASSERT_EQ(cavities.size(), 1U);
    EXPECT_EQ(cavities[0].name, "cavity-1");
    for (const double size : {0.0, 0.1, 3.0}) {
      const VectorXd u = random_displacement(mesh, 5, size);
      const double expected = 1.5 * 0.9 * 1.2 - solid_volume(mesh, u);
      EXPECT_NEAR(enclosed_volume(mesh, cavities[0], span_of(u)), expected, 1e-12 * (1 + size * size * size)) << size;
    }
  }
}

TEST(EnclosedVolumeTest, DerivativesAreThoseOfTheVolume) {
  for (const BoxCells cells : conforming_cells) {
    SCOPED_TRACE(name_of(cells));
    const VolumeMesh mesh = hollow_box(cells);
    const Chamber chamber = find_cavities(mesh).at(0);
    const VectorXd u = random_displacement(mesh, 1, 0.7), d = random_displacement(mesh, 2, 0.5);
    const auto gradient = [&](double t) {
      const VectorXd at = u + t * d;
      const std::vector<double> g = enclosed_volume_gradient(mesh, chamber, span_of(at));
      return VectorXd(VectorXd::Map(g.data(), std::ssize(g)));
    };
    const double slope = slope_of_cubic([&](double t) {
      const VectorXd at = u + t * d;
      return enclosed_volume(mesh, chamber, span_of(at));
    });
    EXPECT_NEAR(gradient(0).dot(d), slope, 1e-12 * (1 + std::abs(slope)));
    const SparseMatrix hessian = enclosed_volume_hessian(mesh, chamber, span_of(u));
    const VectorXd product = hessian.map() * d, difference = slope_of_cubic(gradient);
    EXPECT_LE((product - difference).lpNorm<Eigen::Infinity>(), 1e-12 * difference.lpNorm<Eigen::Infinity>());
    EXPECT_LE((MatrixXd(hessian.map()) - MatrixXd(hessian.map()).transpose()).cwiseAbs().maxCoeff(), 1e-15);
  }
}

// What a closed surface is pushed with has no resultant.
TEST(EnclosedVolumeTest, ForcesAreInBalance) {
  const VolumeMesh mesh = hollow_box(BoxCells::curved_hexes_and_wedges);
  const VectorXd u = random_displacement(mesh, 4, 0.6);
  const std::vector<double> force = enclosed_volume_gradient(mesh, find_cavities(mesh).at(0), span_of(u));
  Eigen::Vector3d sum = Eigen::Vector3d::Zero(), moment = sum;
  double size = 0;
  for (Eigen::Index v = 0; v < mesh.vertex_count(); ++v) {
    const auto f = Eigen::Vector3d::Map(force.data() + 3 * v);
    const Eigen::Vector3d x = Eigen::Vector3d::Map(mesh.vertices.data() + 3 * v) + u.segment<3>(3 * v);
    sum += f;
    moment += x.cross(f);
    size += f.norm();
  }
  EXPECT_LE(sum.norm(), 1e-12 * size);
  EXPECT_LE(moment.norm(), 1e-12 * size);
}

TEST(EnclosedVolumeTest, ReducesToACubic) {
  for (const BoxCells cells : {BoxCells::tets, BoxCells::hexes, BoxCells::curved_tet10, BoxCells::curved_hex20}) {
    SCOPED_TRACE(name_of(cells));
    const VolumeMesh mesh = hollow_box(cells);
    const Chamber chamber = find_cavities(mesh).at(0);
    constexpr int rank = 5;
    MatrixXd basis(std::ssize(mesh.vertices), rank);
    for (int i = 0; i < rank; ++i) basis.col(i) = random_displacement(mesh, static_cast<unsigned>(20 + i), 1);
    const EnclosedVolume volume = reduce_volume(mesh, chamber, basis);
    ASSERT_EQ(std::ssize(volume.coefficients), cubic_coefficient_count(rank));
    const std::vector<double> q = {0.9, -1.3, 0.4, 2.1, -0.6};
    const VectorXd u = basis * VectorXd::Map(q.data(), rank);
    const VolumeDerivatives reduced = evaluate(volume, q);
    const double whole = enclosed_volume(mesh, chamber, span_of(u));
    EXPECT_NEAR(reduced.volume, whole, 1e-12 * (1 + std::abs(whole)));
    const std::vector<double> g = enclosed_volume_gradient(mesh, chamber, span_of(u));
    const VectorXd force = basis.transpose() * VectorXd::Map(g.data(), std::ssize(g));
    EXPECT_LE((VectorXd::Map(reduced.gradient.data(), rank) - force).lpNorm<Eigen::Infinity>(),
              1e-12 * force.lpNorm<Eigen::Infinity>());
    const MatrixXd hessian = basis.transpose() * (enclosed_volume_hessian(mesh, chamber, span_of(u)).map() * basis);
    EXPECT_LE((reduced.hessian.map() - hessian).cwiseAbs().maxCoeff(), 1e-12 * hessian.cwiseAbs().maxCoeff());

    MatrixXd transform = MatrixXd::Random(rank, 3);
    const EnclosedVolume other = transform_volume(volume, transform),
                         anew = reduce_volume(mesh, chamber, basis * transform);
    const EnclosedVolume some = keep_coordinates(volume, std::vector{3, 0});
    const EnclosedVolume those = reduce_volume(mesh, chamber, basis(Eigen::all, std::vector{3, 0}));
    for (std::size_t n = 0; n < anew.coefficients.size(); ++n)
      EXPECT_NEAR(other.coefficients[n], anew.coefficients[n], 1e-12 * 50) << n;
    for (std::size_t n = 0; n < those.coefficients.size(); ++n)
      EXPECT_NEAR(some.coefficients[n], those.coefficients[n], 1e-13 * 50) << n;
  }
}

TEST(FindChamberTest, TakesTheFacesOfAVertexSet) {
  VolumeMesh mesh = hollow_box(BoxCells::hexes);
  mesh.vertex_sets["air"] = box_vertices(mesh, false);
  const Chamber chamber = find_chamber(mesh, "air");
  EXPECT_EQ(chamber.name, "air");
  EXPECT_EQ(chamber.face_count(), 6);
  EXPECT_DOUBLE_EQ(enclosed_volume(mesh, chamber), enclosed_volume(mesh, find_cavities(mesh).at(0)));
}

TEST(FindChamberTest, TellsWhereItIsOpen) {
  VolumeMesh mesh = hollow_box(BoxCells::hexes, 0);
  mesh.vertex_sets["air"] = box_vertices(mesh, false);
  mesh.vertex_sets["air"].erase(mesh.vertex_sets["air"].begin());  // three faces meet there: a hexagon is open
  const std::string open = message_of([&] { static_cast<void>(find_chamber(mesh, "air")); });
  EXPECT_NE(open.find("chamber 'air' isn't closed: of its 3 faces"), std::string::npos) << open;
  EXPECT_NE(open.find("6 edges have no face on the other side"), std::string::npos) << open;
  EXPECT_NE(open.find("near 1"), std::string::npos) << open;
  mesh.vertex_sets["skin"] = box_vertices(mesh, true);
  const std::string outside = message_of([&] { static_cast<void>(find_chamber(mesh, "skin")); });
  EXPECT_NE(outside.find("54 of its faces are around the body"), std::string::npos) << outside;
  mesh.vertex_sets["few"] = {0, 1};
  const std::string none = message_of([&] { static_cast<void>(find_chamber(mesh, "few")); });
  EXPECT_NE(none.find("no face of the body's boundary"), std::string::npos) << none;
  EXPECT_THROW(static_cast<void>(find_chamber(mesh, "gas")), InputError);
  EXPECT_THROW(static_cast<void>(find_chamber(mesh, std::vector<std::int32_t>{0, 99}, "x")), InputError);
}

TEST(FindChamberTest, RefusesFacesThatAreNone) {
  const VolumeMesh mesh = hollow_box(BoxCells::hexes);
  const Chamber good = find_cavities(mesh).at(0);
  const auto refused = [&](const auto& change) {
    Chamber bad = good;
    change(bad.faces);
    EXPECT_THROW(static_cast<void>(enclosed_volume(mesh, bad)), InputError);
  };
  refused([](auto& faces) { faces.clear(); });
  refused([](auto& faces) { faces.pop_back(); });
  refused([](auto& faces) { faces[1] = faces[0]; });
  refused([](auto& faces) { faces[2] = 1000; });
  refused([](auto& faces) { faces[5] = 3; });
  refused([](auto& faces) {  // wound the other way
    for (std::size_t f = 0; f < faces.size(); f += 8) std::swap(faces[f + 1], faces[f + 3]);
  });
  EXPECT_THROW(static_cast<void>(enclosed_volume(mesh, good, std::vector<double>(5))), InputError);
}

}  // namespace
}  // namespace quartic
