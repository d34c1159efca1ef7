// Moments of mass against sums over the mesh.
#include "quartic/frame_moments.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/procedural.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"
#include "support/free_body.hpp"
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
using test::FreeBody;
using test::FreeState;

Vector3d three(const std::array<double, 3>& numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

VectorXd random_numbers(Index count, unsigned seed) {
  const std::vector<double> numbers = test::random_numbers(static_cast<std::size_t>(count), seed);
  return Eigen::Map<const VectorXd>(numbers.data(), count);
}

Matrix3d some_rotation() {
  const Eigen::Vector4d quaternion = random_numbers(4, 5);
  return test::rotation_of(quaternion.normalized());
}

// A model's mesh in motion: points and velocities, shape (3, n) each, and M.
struct MovingMesh {
  MatrixXd points, velocities;
  MatrixXd mass;  // of one direction, (n, n)

  // Far from rest: displacements up to 0.15 of the box.
  MovingMesh(const ReducedModel& model, const FreeState& state)
      : mass(model.mesh.vertex_count(), model.mesh.vertex_count()) {
    const Index n = model.mesh.vertex_count();
    const SparseMatrix sparse = mass_matrix(model.mesh, model.mass_matrix);
    const MatrixXd whole = MatrixXd(sparse.map());
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b < n; ++b) mass(a, b) = whole(3 * a, 3 * b);
    const VectorXd u = model.basis.map() * state.q, rate = model.basis.map() * state.rate;
    const Vector3d origin = three(frame_moments(model).origin);
    points.resize(3, n);
    velocities.resize(3, n);
    for (Index a = 0; a < n; ++a) {
      const Vector3d rest = Eigen::Map<const Vector3d>(&model.mesh.vertices[static_cast<std::size_t>(3 * a)]);
      const Vector3d y = rest - origin + u.segment<3>(3 * a);
      points.col(a) = state.position + state.rotation * y;
      velocities.col(a) = state.velocity + state.rotation * (state.spin.cross(y) + rate.segment<3>(3 * a));
    }
  }
  [[nodiscard]] double kinetic() const { return 0.5 * (velocities * mass).cwiseProduct(velocities).sum(); }
  [[nodiscard]] Vector3d momentum() const { return (velocities * mass).rowwise().sum(); }
  [[nodiscard]] Vector3d angular_momentum(const Vector3d& about) const {
    Vector3d sum = Vector3d::Zero();
    const MatrixXd weighed = velocities * mass;
    for (Index a = 0; a < points.cols(); ++a) sum += Vector3d(points.col(a) - about).cross(Vector3d(weighed.col(a)));
    return sum;
  }
};

FreeState far_state(const ReducedModel& model) {
  FreeState state;
  state.q = random_numbers(model.rank(), 1);
  state.q *= 0.15 / (model.basis.map() * state.q).cwiseAbs().maxCoeff();
  state.rate = 3 * random_numbers(model.rank(), 2);
  state.position = random_numbers(3, 3);
  state.velocity = random_numbers(3, 4);
  state.spin = 5 * random_numbers(3, 6);
  state.rotation = some_rotation();
  return state;
}

double elastic(const ReducedModel& model, const VectorXd& q) {
  return evaluate(model.energy, {q.data(), static_cast<std::size_t>(q.size())}).energy;
}

// d'Alembert: M a plus internal forces has no work on translations, rotations and the basis, for the accelerations that
// the moments give. Relative to the size of what cancels.
double dalembert_residual(const ReducedModel& model, const FreeBody& body, const FreeState& state) {
  const MovingMesh mesh(model, state);
  const test::FreeRates rates = body.rates(state);
  const Index n = mesh.points.cols();
  const VectorXd second = model.basis.map() * rates.second, rate = model.basis.map() * state.rate;
  MatrixXd acceleration(3, n), y(3, n);
  for (Index a = 0; a < n; ++a) {
    y.col(a) = state.rotation.transpose() * (mesh.points.col(a) - state.position);
    const Vector3d at = y.col(a), v = rate.segment<3>(3 * a);
    acceleration.col(a) = rates.spin_rate.cross(at) + state.spin.cross(state.spin.cross(at)) + 2 * state.spin.cross(v) +
                          second.segment<3>(3 * a);
  }
  const MatrixXd inertia = acceleration * mesh.mass;
  Vector3d torque = Vector3d::Zero(), sizes = Vector3d::Zero();
  for (Index a = 0; a < n; ++a) {
    const Vector3d part = Vector3d(y.col(a)).cross(Vector3d(inertia.col(a)));
    torque += part;
    sizes += part.cwiseAbs();
  }
  const std::vector<double> internal =
      evaluate(model.energy, {state.q.data(), static_cast<std::size_t>(state.q.size())}).force;
  const VectorXd force = Eigen::Map<const VectorXd>(internal.data(), std::ssize(internal));
  const VectorXd left = model.basis.map().transpose() * inertia.reshaped() + force;
  return std::max({inertia.rowwise().sum().cwiseAbs().maxCoeff() / inertia.cwiseAbs().sum(),
                   torque.cwiseAbs().maxCoeff() / sizes.maxCoeff(), left.norm() / force.norm()});
}

TEST(FrameMomentsTest, GiveEnergyMomentaAndAccelerationsOfTheMesh) {
  for (const BoxCells cells : all_cells)
    for (const MassMatrix kind : {MassMatrix::consistent, MassMatrix::lumped}) {
      SCOPED_TRACE(std::string(test::name_of(cells)) + (kind == MassMatrix::lumped ? ", lumped" : ""));
      const ReducedModel model =
          reduce(test::make_box(cells, {2, 2, 1}), {}, {.modes = 3, .rank = 6, .mass_matrix = kind});
      ASSERT_TRUE(model.frame_moments.has_value());
      EXPECT_NO_THROW((void)free_frame(model));
      EXPECT_LT(mean_axis_error(*model.frame_moments), 1e-10) << "reduction leaves rotations out";
      const FreeBody body(*model.frame_moments, model.energy);
      const FreeState state = far_state(model);
      const MovingMesh mesh(model, state);
      const double kinetic = body.energy(state) - elastic(model, state.q);
      EXPECT_NEAR(kinetic, mesh.kinetic(), 1e-12 * mesh.kinetic());
      const Vector3d linear = model.frame_moments->mass * state.velocity,
                     angular = mesh.angular_momentum(state.position);
      EXPECT_LT((linear - mesh.momentum()).norm(), 1e-12 * linear.norm());
      EXPECT_LT((body.momentum(state) - angular).norm(), 1e-12 * angular.norm());
      EXPECT_LT(dalembert_residual(model, body, state), 1e-12);
    }
}

// What a moving base needs: of a held body, too, whose fields have momenta of their own.
TEST(FrameMomentsTest, OfHeldBodiesAreThoseOfTheMesh) {
  const VolumeMesh box = test::make_box(BoxCells::alternating, {2, 2, 1});
  const ReducedModel model = reduce(box, std::vector<std::int32_t>{0, 3, 6, 9}, {.modes = 3, .rank = 6});
  const FrameMoments moments = *model.frame_moments;
  EXPECT_EQ(moments.unit_acceleration.values, model.unit_acceleration.values);
  FreeState state = far_state(model);
  state.velocity.setZero();
  const MovingMesh mesh(model, state);
  const FreeBody body(moments, model.energy);
  const double kinetic = body.energy(state) - elastic(model, state.q);
  EXPECT_NEAR(kinetic, mesh.kinetic(), 1e-12 * mesh.kinetic());
  const Vector3d angular = mesh.angular_momentum(state.position);
  EXPECT_LT((body.momentum(state) - angular).norm(), 1e-12 * angular.norm());
  const MatrixXd unit = moments.unit_acceleration.map().transpose();
  const Vector3d first = unit * state.q, rate = unit * state.rate;
  const Vector3d linear = state.rotation * (rate + state.spin.cross(first));
  EXPECT_LT((linear - mesh.momentum()).norm(), 1e-12 * linear.norm());
  EXPECT_THROW((void)free_frame(model), InputError);
}

TEST(FrameMomentsTest, OfABlockAreThoseOfTheFormula) {
  const ReducedModel model = test::free_block(1e6, 3, 6);
  const FrameMoments& moments = *model.frame_moments;
  EXPECT_NEAR(moments.mass, 180, 1e-10);
  EXPECT_LT((three(moments.origin) - Vector3d(0.5, 0.3, 0.15)).norm(), 1e-14);
  const std::array<double, 3> principal = principal_inertia(moments);
  EXPECT_NEAR(principal[0], 6.75, 1e-12);
  EXPECT_NEAR(principal[1], 16.35, 1e-12);
  EXPECT_NEAR(principal[2], 20.4, 1e-12);
}

TEST(FrameMomentsTest, AreMadeAnewWhereAModelHasNone) {
  ReducedModel model = reduce(test::make_box(BoxCells::wedges, {2, 1, 1}), {}, {.modes = 2, .rank = 4});
  const FrameMoments stored = *model.frame_moments;
  model.frame_moments.reset();
  const FrameMoments anew = frame_moments(model);
  EXPECT_NEAR(anew.mass, stored.mass, 1e-14 * stored.mass);
  EXPECT_LT((anew.moment2.map() - stored.moment2.map()).norm(), 1e-13);
  EXPECT_LT((anew.moment1.map() - stored.moment1.map()).norm(), 1e-13 * stored.moment1.map().norm());
  model.basis = {};
  EXPECT_EQ(frame_moments(model).rank(), 0);
  EXPECT_NEAR(frame_moments(model).mass, stored.mass, 1e-14 * stored.mass);
}

FrameChange some_change(int rank) {
  FrameChange change{.shift = {0.3, -0.2, 0.5}, .translation = Matrix(rank, 3), .transform = Matrix(rank, rank - 1)};
  change.translation.values = test::random_numbers(change.translation.values.size(), 8);
  change.transform.values = test::random_numbers(change.transform.values.size(), 9);
  return change;
}

// Moments of the changed fields about the changed origin, from the mesh: a model of the same mesh with those.
TEST(FrameMomentsTest, ChangesAreCongruences) {
  ReducedModel model = reduce(test::make_box(BoxCells::tets, {2, 1, 1}), {}, {.modes = 2, .rank = 4});
  const FrameChange change = some_change(4);
  const FrameMoments changed = change_frame(*model.frame_moments, change);
  MatrixXd fields = model.basis.map();
  for (Index row = 0; row < fields.rows(); ++row)
    for (Index i = 0; i < 4; ++i) fields(row, i) -= change.translation(i, row % 3);
  const MatrixXd basis = fields * change.transform.map();
  const MovingMesh mesh(model, {.q = VectorXd::Zero(4), .rate = VectorXd::Zero(4)});
  const MatrixXd x = mesh.points.colwise() - three(change.shift);
  EXPECT_LT((three(changed.first_moment) - (x * mesh.mass).rowwise().sum()).norm(), 1e-12);
  EXPECT_LT((changed.moment0.map() - x * mesh.mass * x.transpose()).norm(), 1e-12);
  for (Index i = 0; i < 3; ++i) {
    const MatrixXd ui = MatrixXd(basis.col(i).reshaped(3, x.cols()));
    const Matrix3d first = x * mesh.mass * ui.transpose();
    const Vector3d unit = (ui * mesh.mass).rowwise().sum();
    for (Index a = 0; a < 3; ++a) {
      EXPECT_NEAR(changed.unit_acceleration(i, a), unit[a], 1e-11);
      for (Index b = 0; b < 3; ++b) EXPECT_NEAR(changed.moment1(3 * a + b, i), first(a, b), 1e-11);
    }
    for (Index j = i; j < 3; ++j) {
      const Matrix3d second = ui * mesh.mass * basis.col(j).reshaped(3, x.cols()).transpose();
      const Index pair = i * (2 * 3 - i - 1) / 2 + j;
      for (Index a = 0; a < 3; ++a)
        for (Index b = 0; b < 3; ++b) EXPECT_NEAR(changed.moment2(3 * a + b, pair), second(a, b), 1e-11);
    }
  }
}

TEST(FrameMomentsTest, CentringGivesAFrameOfItsOwn) {
  const ReducedModel model = reduce(test::make_box(BoxCells::hexes, {2, 2, 1}), {}, {.modes = 3, .rank = 6});
  FrameChange away = some_change(6);
  away.transform = to_matrix(MatrixXd::Identity(6, 6) + 0.1 * MatrixXd::Ones(6, 6));
  const FrameMoments moved = change_frame(*model.frame_moments, away);
  const FrameMoments back = change_frame(moved, centring(moved));
  EXPECT_LT(three(back.first_moment).norm(), 1e-12 * back.mass);
  EXPECT_LT(back.unit_acceleration.map().norm(), 1e-12 * std::sqrt(back.mass));
  EXPECT_LT((three(back.origin) - three(model.frame_moments->origin)).norm(), 1e-14);
  for (Index i = 0; i < 6; ++i)
    for (Index j = i; j < 6; ++j) {
      const auto pair = back.moment2.col(i * (2 * 6 - i - 1) / 2 + j);
      EXPECT_NEAR(pair[0] + pair[4] + pair[8], i == j ? 1 : 0, 1e-12);
    }
}

std::string message_of(const ReducedModel& model) {
  try {
    (void)free_frame(model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(FrameMomentsTest, BodiesWithoutAFrameAreRefusedWithTheReason) {
  const ProceduralMesh one = make_box({.length = 1, .width = 1, .height = 1, .cells_x = 1, .cells_y = 1, .cells_z = 1});
  VolumeMesh two = one.mesh;
  for (const double x : one.mesh.vertices) two.vertices.push_back(x + 3);
  for (const std::int32_t v : one.mesh.blocks[0].vertices)
    two.blocks[0].vertices.push_back(v + static_cast<std::int32_t>(one.mesh.vertex_count()));
  two.element_region.push_back(0);
  EXPECT_NE(message_of(reduce(two, {}, {.modes = 2, .rank = 3})).find("12 rigid motions"), std::string::npos);
  EXPECT_NE(message_of(reduce(one.mesh, one.fixed_vertices, {.modes = 2, .rank = 3})).find("is held at 4 vertices"),
            std::string::npos);
  EXPECT_NE(message_of(ReducedModel{}).find("no basis"), std::string::npos);
  // A basis with a translation, and one with a rotation in it.
  const Index n = one.mesh.vertex_count();
  MatrixXd fields = random_numbers(3 * n, 3);
  for (Index v = 0; v < n; ++v) fields.col(0).segment<3>(3 * v) = Vector3d(1, 0, 0);
  EXPECT_NE(message_of(reduce_with_basis(one.mesh, {}, fields)).find("moves the mass centre"), std::string::npos);
  for (Index v = 0; v < n; ++v) {
    const double* x = &one.mesh.vertices[static_cast<std::size_t>(3 * v)];
    fields.col(0).segment<3>(3 * v) = Vector3d(0.5 - x[1], x[0] - 0.5, 0);
  }
  EXPECT_NE(message_of(reduce_with_basis(one.mesh, {}, fields)).find("a field is a rotation"), std::string::npos);
}

TEST(FrameMomentsTest, RefuseWhatDoesNotFit) {
  const ReducedModel model = reduce(test::make_box(BoxCells::hexes, {2, 1, 1}), {}, {.modes = 2, .rank = 3});
  FrameChange change = some_change(3);
  change.translation = Matrix(2, 3);
  EXPECT_THROW((void)change_frame(*model.frame_moments, change), InputError);
  change = some_change(3);
  change.transform = Matrix(4, 3);
  EXPECT_THROW((void)change_frame(*model.frame_moments, change), InputError);
  FrameMoments broken = *model.frame_moments;
  broken.moment2.values[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)change_frame(broken, some_change(3)), InputError);
  EXPECT_THROW((void)centring(broken), InputError);
  EXPECT_THROW((void)centring(FrameMoments{}), InputError);
}

}  // namespace
}  // namespace quartic
