// Rotations of fields at vertices; warped displacements of many bodies.
#include <gtest/gtest.h>

#include "core/warping/rotation_map.hpp"
#include "quartic/error.hpp"
#include "support/boxes.hpp"
#include "warping/bent_bar.hpp"

namespace quartic {
namespace {

using test::BoxCells;

class OfEveryElement : public testing::TestWithParam<BoxCells> {};
INSTANTIATE_TEST_SUITE_P(Cells, OfEveryElement, testing::ValuesIn(test::all_cells),
                         [](const auto& info) { return test::name_of(info.param); });

TEST_P(OfEveryElement, RigidRotationsBecomeFiniteOnes) {
  const VolumeMesh mesh = test::make_box(GetParam(), {3, 2, 2});
  const Eigen::Vector3d centre(0.3, -0.2, 0.5);
  for (const Eigen::Vector3d& theta :
       {Eigen::Vector3d(0.3, -2, 1.1), Eigen::Vector3d(1e-9, 2e-9, 0), Eigen::Vector3d(2, -5, 3)}) {
    Matrix field(3 * mesh.vertex_count(), 1);
    field.values = test::turned_slightly(mesh, theta, centre);
    const ModalWarp warp(mesh, field.map());
    for (std::int64_t v = 0; v < mesh.vertex_count(); ++v)
      EXPECT_LT((warp.rotations().map().col(0).segment<3>(3 * v) - theta).norm(), 5e-14 * theta.norm());
    std::vector<double> u(field.values.size());
    const double one = 1;
    warp.displacements<double>({&one, 1, 1, 1, 1}, {}, u);
    constexpr double of_positions = 4e-16;  // what the reference, a difference of positions, is rounded by
    EXPECT_LT(test::largest_difference(u, test::turned(mesh, theta, centre)), 1e-13 * theta.norm() + of_positions);
  }
}

TEST_P(OfEveryElement, EmbeddedSurfacesTurnRigidly) {
  const VolumeMesh mesh = test::make_box(GetParam(), {2, 2, 2});
  TriangleMesh surface;
  surface.vertices = {0.1, 0.1, 0.2, 0.9, 0.2, 0.5, 0.4, 0.55, 0.7, 1.1, 0.7, -0.1};
  surface.triangles = {0, 1, 2, 1, 2, 3};
  const SurfaceEmbedding embedded = embed_surface(mesh, surface);
  const Eigen::Vector3d theta(0.3, -2, 1.1), centre(0.3, -0.2, 0.5);
  Matrix field(3 * mesh.vertex_count(), 1);
  field.values = test::turned_slightly(mesh, theta, centre);
  const ModalWarp warp(mesh, field.map(), embedded);
  std::vector<double> u(surface.vertices.size());
  const double one = 1;
  warp.displacements<double>({&one, 1, 1, 1, 1}, {}, u);
  VolumeMesh points;
  points.vertices = surface.vertices;
  EXPECT_LT(test::largest_difference(u, test::turned(points, theta, centre)), 1e-13);
}

/// Phi and Psi of random numbers, rotations up to several turns.
ModalWarp random_warp(WarpMap map) {
  constexpr std::int64_t vertices = 77, rank = 5;
  Matrix modes(3 * vertices, rank), rotations(3 * vertices, rank);
  modes.values = test::random_numbers(modes.values.size(), 1);
  rotations.values = test::random_numbers(rotations.values.size(), 2);
  for (std::size_t i = 0; i < rotations.values.size(); ++i) rotations.values[i] *= i % 2 == 0 ? 4 : 0.01;
  return {modes, rotations, {.map = map}};
}

template <class T>
class WarpedBodies : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(WarpedBodies, Precisions);

template <class T>
std::vector<T> coordinates(std::int64_t rank, std::int64_t bodies) {
  std::vector<T> q;
  for (const double x : test::random_numbers(static_cast<std::size_t>(rank * bodies), 9))
    q.push_back(static_cast<T>(x));
  return q;
}

TYPED_TEST(WarpedBodies, AreThoseOfTheMapVertexByVertex) {
  using T = TypeParam;
  for (const WarpMap kind : {WarpMap::integrated, WarpMap::rotation}) {
    const ModalWarp warp = random_warp(kind);
    constexpr std::int64_t bodies = 13;
    const auto q = coordinates<T>(warp.rank(), bodies);
    std::vector<T> u(static_cast<std::size_t>(3 * warp.vertex_count() * bodies));
    warp.displacements<T>({q.data(), warp.rank(), bodies, 1, warp.rank()}, {}, u);
    for (std::int64_t body = 0; body < bodies; ++body) {
      const Eigen::VectorXd state =
          Eigen::Matrix<T, -1, 1>::Map(q.data() + body * warp.rank(), warp.rank()).template cast<double>();
      const Eigen::VectorXd p = warp.modes().map() * state, w = warp.rotations().map() * state;
      for (std::int64_t v = 0; v < warp.vertex_count(); ++v) {
        const frame::Vector3<double> turn = {w[3 * v], w[3 * v + 1], w[3 * v + 2]};
        const auto map = kind == WarpMap::integrated ? warping::integrated_map(turn) : warping::exponential_map(turn);
        const auto expected = map.apply({p[3 * v], p[3 * v + 1], p[3 * v + 2]});
        const T* at = u.data() + 3 * (body * warp.vertex_count() + v);
        const double allowed =
            60 * static_cast<double>(std::numeric_limits<T>::epsilon());  // of sums of size 5 and 10 rad
        EXPECT_NEAR(static_cast<double>(at[0]), expected.x, allowed);
        EXPECT_NEAR(static_cast<double>(at[1]), expected.y, allowed);
        EXPECT_NEAR(static_cast<double>(at[2]), expected.z, allowed);
      }
    }
  }
}

TYPED_TEST(WarpedBodies, HaveTheSameBitsAloneAndAmongOthers) {
  using T = TypeParam;
  const ModalWarp warp = random_warp(WarpMap::integrated);
  constexpr std::int64_t bodies = 29;
  const auto q = coordinates<T>(warp.rank(), bodies);
  const StateView<const T> all = {q.data(), warp.rank(), bodies, 1, warp.rank()};
  std::vector<T> together(static_cast<std::size_t>(3 * warp.vertex_count() * bodies));
  warp.displacements<T>(all, {}, together);
  const std::vector<std::int32_t> some = {76, 3, 40};
  for (std::int64_t body = 0; body < bodies; body += 7) {
    const StateView<const T> one = {q.data() + body * warp.rank(), warp.rank(), 1, 1, warp.rank()};
    std::vector<T> alone(9);
    warp.displacements<T>(one, some, alone);
    for (std::size_t k = 0; k < some.size(); ++k)
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(alone[3 * k + c], together[static_cast<std::size_t>(3 * (body * warp.vertex_count() + some[k])) + c]);
  }
}

TYPED_TEST(WarpedBodies, GoIntoArraysOfAnyStrides) {
  using T = TypeParam;
  const ModalWarp warp = random_warp(WarpMap::integrated);
  const auto q = coordinates<T>(warp.rank(), 2);
  const StateView<const T> view = {q.data(), warp.rank(), 2, 1, warp.rank()};
  const std::int64_t n = warp.vertex_count();
  std::vector<T> packed(static_cast<std::size_t>(6 * n)), apart(static_cast<std::size_t>(6 * n));
  warp.displacements<T>(view, {}, packed);
  warp.displacements<T>(view, {}, VertexView<T>{apart.data(), 2, n, 3 * n, 1, n});  // x of all vertices, then y, z
  for (std::int64_t body = 0; body < 2; ++body)
    for (std::int64_t v = 0; v < n; ++v)
      for (std::int64_t c = 0; c < 3; ++c)
        EXPECT_EQ(apart[static_cast<std::size_t>(body * 3 * n + c * n + v)],
                  packed[static_cast<std::size_t>(body * 3 * n + 3 * v + c)]);
}

TYPED_TEST(WarpedBodies, WithoutRotationAreLinear) {
  using T = TypeParam;
  Matrix modes(6, 1), none(6, 1);
  modes.values = {1, 2, 3, -1, -2, -3};
  const ModalWarp warp(modes, none);
  const T half = T(0.5);
  std::vector<T> u(6);
  warp.displacements<T>({&half, 1, 1, 1, 1}, {}, u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(u[i], static_cast<T>(0.5 * modes.values[i]));
}

TEST(ModalWarp, RefusesWhatDoesNotFit) {
  const ModalWarp warp = random_warp(WarpMap::integrated);
  const std::vector<double> q(5);
  std::vector<double> u(3);
  const std::vector<std::int32_t> beyond = {77};
  const StateView<const double> view = {q.data(), 5, 1, 1, 5};
  EXPECT_THROW(warp.displacements<double>(view, beyond, u), InputError);
  EXPECT_THROW(warp.displacements<double>(view, {}, u), InputError);
  EXPECT_THROW(warp.displacements<double>({q.data(), 4, 1, 1, 4}, {}, u), InputError);
  EXPECT_THROW((void)warp.jacobian(std::span(q).first(4), {}), InputError);
  EXPECT_THROW(ModalWarp(Matrix(6, 2), Matrix(6, 3)), InputError);
  EXPECT_THROW(ModalWarp(Matrix(5, 2), Matrix(5, 2)), InputError);
  std::vector<double> force(5);
  const StateView<double> forces = {force.data(), 5, 1, 1, 5};
  const VertexForce wrong_vertex[] = {{0, 1, {1, 0, 0}}, {0, 77, {1, 0, 0}}};
  EXPECT_THROW(warp.add_forces<double>(wrong_vertex, view, forces), InputError);
  const VertexForce wrong_body[] = {{0, 1, {1, 0, 0}}, {1, 0, {1, 0, 0}}};
  EXPECT_THROW(warp.add_forces<double>(wrong_body, view, forces), InputError);
  EXPECT_EQ(force, std::vector<double>(5)) << "nothing is changed";
  EXPECT_THROW((void)modal_rotation(test::make_box(BoxCells::tets, {1, 1, 1}), Matrix(3, 1).map()), InputError);
  VolumeMesh inverted = test::make_box(BoxCells::tets, {1, 1, 1});
  std::swap(inverted.blocks[0].vertices[0], inverted.blocks[0].vertices[1]);
  EXPECT_THROW((void)modal_rotation(inverted, Matrix(24, 1).map()), InputError);
}

}  // namespace
}  // namespace quartic
