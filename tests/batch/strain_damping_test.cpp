// Damping by strain rates: the viscous force of the whole mesh by differences of strains, its limit at rest, the power
// that it takes from bodies in motion, and turning bodies, which it leaves alone.
#include "quartic/strain_damping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "quartic/checkpoint.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/world.hpp"
#include "support/batch_states.hpp"
#include "support/dense.hpp"
#include "support/files.hpp"
#include "support/free_batches.hpp"
#include "support/moving_base.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::all_integrators;
using test::expect_refused;
using test::get_body;
using test::random_squares;
using test::random_vector;
using test::set_body;
using test::set_random_body;
using test::TestedBatch;

constexpr Material rubber{1e5, 0.3, 1000};

std::vector<double> doubles(const VectorXd& v) {
  return {v.begin(), v.end()};
}

MatrixXd damping_at(const StrainForm& form, const VectorXd& q) {
  return strain_damping_matrix(form, doubles(q)).map();
}

// ---- The mesh

ProceduralMesh tetrahedra() {
  return make_box({.length = 1,
                   .width = 0.5,
                   .height = 0.4,
                   .cells_x = 2,
                   .cells_y = 1,
                   .cells_z = 1,
                   .type = ElementType::tet4,
                   .material = rubber});
}

// The Green strain of a tetrahedron from its edges, at rest and displaced.
Matrix3d green_strain(const VolumeMesh& mesh, std::span<const std::int32_t> vertices, const VectorXd& u,
                      double* volume = nullptr) {
  Matrix3d rest, moved;
  const auto place = [&](int n) {
    return Vector3d::Map(mesh.vertices.data() + 3 * vertices[static_cast<std::size_t>(n)]);
  };
  const auto displacement = [&](int n) { return u.segment<3>(3 * vertices[static_cast<std::size_t>(n)]); };
  for (int e = 0; e < 3; ++e) {
    rest.col(e) = place(e + 1) - place(0);
    moved.col(e) = rest.col(e) + displacement(e + 1) - displacement(0);
  }
  if (volume != nullptr) *volume = std::abs(test::determinant(rest)) / 6;
  const Matrix3d f = moved * test::inverse(rest);
  return (f.transpose() * f - Matrix3d::Identity()) / 2;
}

// Strains are quadratic: their central difference is their rate.
Matrix3d strain_rate(const VolumeMesh& mesh, std::span<const std::int32_t> vertices, const VectorXd& u,
                     const VectorXd& rate) {
  return (green_strain(mesh, vertices, u + rate) - green_strain(mesh, vertices, u - rate)) / 2;
}

// The integral of the rate for one motion : C : the rate for another, over the whole mesh.
double viscous_product(const VolumeMesh& mesh, const VectorXd& u, const VectorXd& first, const VectorXd& second) {
  const double e = rubber.youngs_modulus, nu = rubber.poissons_ratio;
  const double lambda = e * nu / ((1 + nu) * (1 - 2 * nu)), mu = e / (2 * (1 + nu));
  double sum = 0, volume = 0;
  for (const ElementBlock& block : mesh.blocks)
    for (std::int64_t n = 0; n < block.count(); ++n) {
      static_cast<void>(green_strain(mesh, block.element(n), u, &volume));
      const Matrix3d a = strain_rate(mesh, block.element(n), u, first),
                     b = strain_rate(mesh, block.element(n), u, second);
      sum += volume * (lambda * a.trace() * b.trace() + 2 * mu * a.cwiseProduct(b).sum());
    }
  return sum;
}

struct MeshModel {
  ReducedModel model;
  StrainForm form;

  explicit MeshModel(ReducedModel reduced)
      : model(std::move(reduced)), form(reduce_strains(model.mesh, model.basis.map())) {}
  [[nodiscard]] VectorXd displaced(const VectorXd& q) const { return model.basis.map() * q; }
};

const MeshModel& bar() {
  static const MeshModel bar([] {
    const ProceduralMesh body = tetrahedra();
    return reduce(body.mesh, body.fixed_vertices, {.modes = 3, .rank = 6});
  }());
  return bar;
}

TEST(StrainDamping, IsTheMeshsViscousForce) {
  const auto& [model, form] = bar();
  for (unsigned seed = 0; seed < 3; ++seed) {
    const VectorXd q = random_vector(model.rank(), 2 * seed, 3), rate = random_vector(model.rank(), 2 * seed + 1, 2);
    const VectorXd u = bar().displaced(q), u_rate = bar().displaced(rate);
    ASSERT_GT(u.cwiseAbs().maxCoeff(), 0.1);  // far from small
    const MatrixXd d = damping_at(form, q);
    const VectorXd force = d * rate;
    for (int i = 0; i < model.rank(); ++i) {
      const double expected = viscous_product(model.mesh, u, bar().displaced(VectorXd::Unit(model.rank(), i)), u_rate);
      EXPECT_NEAR(force[i], expected, 1e-10 * force.norm()) << i;
    }
    const double power = viscous_product(model.mesh, u, u_rate, u_rate);
    EXPECT_NEAR(rate.dot(force), power, 1e-10 * power);
    EXPECT_GE(test::eigenvalues(d)[0], -1e-12 * d.norm());
    EXPECT_EQ((d - d.transpose()).norm(), 0);
  }
}

TEST(StrainDamping, IsTheStiffnessAtRestAndLeavesItsGeometricPartOut) {
  const auto& [model, form] = bar();
  const VectorXd rest = VectorXd::Zero(model.rank()), q = random_vector(model.rank(), 5, 3);
  const auto stiffness = [&](const VectorXd& at) -> MatrixXd {
    return evaluate(model.energy, doubles(at)).stiffness.map();
  };
  EXPECT_LE((damping_at(form, rest) - stiffness(rest)).norm(), 1e-12 * stiffness(rest).norm());
  EXPECT_GE((damping_at(form, q) - stiffness(q)).norm(), 0.01 * stiffness(q).norm());
}

// ---- Steps

std::vector<BodyGroup> group_with(const QuarticEnergy& energy, std::int64_t bodies = 1) {
  std::vector<BodyGroup> groups(1);
  groups[0].energy = energy;
  groups[0].bodies = bodies;
  return groups;
}

template <class T>
void damp(Batch<T>& batch, double time, const StrainForm& form) {
  set_strain_damping<T>(batch, std::vector<double>(static_cast<std::size_t>(batch.bodies()), time),
                        std::vector<StrainForm>(static_cast<std::size_t>(batch.group_count()), form));
}

template <class T>
double energy_of(const Batch<T>& batch) {
  return batch.elastic_energy()[0] + batch.kinetic_energy()[0];
}

constexpr int sample_rank = 5;
constexpr double tau = 0.02;

// A change of strains is the derivative in the middle times the change of q, exactly.
template <class T>
void expect_exact_loss(std::vector<BodyGroup> group, const StrainForm& form, double dt, double amplitude,
                       BatchOptions options = {}) {
  options.integrator = Integrator::energy_conserving;
  SCOPED_TRACE(std::string(evaluation_name(options.evaluation)) + (group[0].frame ? ", flying" : ""));
  const int r = group[0].energy.rank;
  TestedBatch<T> batch(std::move(group), options);
  damp(batch, tau, form);
  set_body(batch.q(), 0, random_vector(r, 1, amplitude));
  set_body(batch.velocity(), 0, random_vector(r, 2, amplitude / dt / 10));
  if (batch.has_frame()) {
    batch.twist()(4, 0) = T{3};
    batch.twist()(5, 0) = T{1};
  }
  const double start = energy_of(batch);
  double lost = 0;
  for (int step = 0; step < 20; ++step) {
    const VectorXd before = get_body<T>(std::as_const(batch).q(), 0);
    batch.step(dt);
    const VectorXd after = get_body<T>(std::as_const(batch).q(), 0), rate = (after - before) / dt;
    lost += dt * tau * rate.dot(damping_at(form, (before + after) / 2) * rate);
  }
  ASSERT_EQ(batch.status()[0], BodyStatus::ok);
  ASSERT_FALSE(has_any(batch.flags()[0], BodyFlags::not_converged));
  EXPECT_GE(lost, 0.05 * start);
  EXPECT_NEAR(energy_of(batch), start - lost, 1e4 * double{std::numeric_limits<T>::epsilon()} * start);
}

TEST(StrainDamping, TakesItsPowerFromConservedEnergyExactly) {
  const test::SumOfSquares squares = random_squares(sample_rank, 3);
  const StrainForm form = squares.strain_form();
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency, Evaluation::accurate}) {
    std::vector<BodyGroup> held = group_with(squares.energy());
    held[0].strain_form = form;
    expect_exact_loss<double>(held, form, 0.01, 0.5, {.evaluation = evaluation});
    expect_exact_loss<float>(held, form, 0.01, 0.5, {.evaluation = evaluation});
  }
  const ReducedModel& block = test::soft_block();
  const StrainForm strains = reduce_strains(block.mesh, block.basis.map());
  expect_exact_loss<double>({test::flying(block)}, strains, 2e-3, 0.5);
}

// Energy at the end and what was lost on the way, by the trapezoid rule, less the energy at the start.
double imbalance(Integrator integrator, Evaluation evaluation, int steps) {
  const test::SumOfSquares squares = random_squares(sample_rank, 3);
  const StrainForm form = squares.strain_form();
  TestedBatch<double> batch(group_with(squares.energy()),
                            {.integrator = integrator, .newton_iterations = 6, .evaluation = evaluation});
  damp(batch, tau, form);
  const VectorXd q = random_vector(sample_rank, 1, 0.5), v = random_vector(sample_rank, 2, 3);
  set_body(batch.q(), 0, q);
  set_body(batch.velocity(), 0, v);
  set_body(batch.acceleration(), 0, -squares.force(q) - tau * damping_at(form, q) * v);
  const auto power = [&] {
    const VectorXd rate = get_body<double>(std::as_const(batch).velocity(), 0);
    return tau * rate.dot(damping_at(form, get_body<double>(std::as_const(batch).q(), 0)) * rate);
  };
  const double start = energy_of(batch), dt = 0.4 / steps;
  double lost = 0, before = power();
  for (int step = 0; step < steps; ++step) {
    batch.step(dt);
    const double after = power();
    lost += dt * (before + after) / 2;
    before = after;
  }
  EXPECT_GE(lost, 0.1 * start);
  return std::abs(energy_of(batch) + lost - start) / start;
}

TEST(StrainDamping, TakesItsPowerByTheIntegratorsOrder) {
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency})
    for (const auto& [integrator, order] :
         {std::pair{Integrator::newmark, 2}, {Integrator::backward_euler, 1}, {Integrator::central_differences, 1}}) {
      SCOPED_TRACE(std::string(integrator_name(integrator)));
      const double coarse = imbalance(integrator, evaluation, 200), fine = imbalance(integrator, evaluation, 400);
      EXPECT_LE(fine, order == 2 ? 1e-4 : 4e-2);
      EXPECT_GE(coarse / fine, 0.85 * std::pow(2, order));
    }
}

// Small vibrations know Rayleigh's alone.
template <class T>
void expect_rayleighs_limit(std::vector<BodyGroup> group, const StrainForm& form, double dt, double tolerance,
                            BatchOptions options) {
  SCOPED_TRACE(std::string(integrator_name(options.integrator)) + " " +
               std::string(evaluation_name(options.evaluation)));
  options.newton_iterations = 3;
  TestedBatch<T> batch(group, options);
  damp(batch, tau, form);
  options.rayleigh_stiffness = tau;
  TestedBatch<T> rayleigh(group, options);
  for (Batch<T>* each : {&batch, &rayleigh}) {
    set_body(each->q(), 0, random_vector(group[0].energy.rank, 1, 1e-6));
    each->step(20 * dt, 20);
  }
  const VectorXd a = get_body<T>(std::as_const(batch).q(), 0), b = get_body<T>(std::as_const(rayleigh).q(), 0);
  EXPECT_LE((a - b).norm(), tolerance * b.norm());
}

TEST(StrainDamping, OfSmallVibrationsIsRayleighs) {
  const test::SumOfSquares squares = random_squares(sample_rank, 3);
  const ReducedModel base_model = test::held_block(4e5, 4, 6);
  std::vector<BodyGroup> mounted = group_with(base_model.energy);
  mounted[0].frame = base_frame(base_model);
  mounted[0].motion = FrameMotion::prescribed;
  for (const Integrator integrator : all_integrators)
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
      const BatchOptions options{.integrator = integrator, .evaluation = evaluation};
      expect_rayleighs_limit<double>(group_with(squares.energy()), squares.strain_form(), 0.002, 1e-4, options);
      expect_rayleighs_limit<float>(group_with(squares.energy()), squares.strain_form(), 0.002, 1e-4, options);
      if (integrator == Integrator::newmark || integrator == Integrator::backward_euler)
        expect_rayleighs_limit<double>(mounted, reduce_strains(base_model.mesh, base_model.basis.map()), 1e-3, 1e-4,
                                       options);
    }
}

// ---- Turning bodies

// A free block that is stretched and turned in any way: a basis of all linear displacement fields.
const MeshModel& linear_block() {
  static const MeshModel block([] {
    VolumeMesh mesh = tetrahedra().mesh;
    Matrix fields(3 * mesh.vertex_count(), 9);
    for (std::int64_t v = 0; v < mesh.vertex_count(); ++v)
      for (std::int64_t c = 0; c < 3; ++c)
        for (std::int64_t d = 0; d < 3; ++d) {
          const double middle[] = {0.5, 0.25, 0.2};  // of the box, so that the mass centre stays
          fields(3 * v + c, 3 * c + d) = mesh.vertices[static_cast<std::size_t>(3 * v + d)] - middle[d];
        }
    return reduce_with_basis(std::move(mesh), {}, fields.map());
  }());
  return block;
}

// Coordinates of the displacement (G - I) x.
VectorXd linear_coordinates(const Matrix3d& g) {
  const MatrixXd u = linear_block().model.basis.map();
  VectorXd field(u.rows());
  for (Eigen::Index v = 0; v < u.rows() / 3; ++v) {
    const Vector3d x = Vector3d::Map(linear_block().model.mesh.vertices.data() + 3 * v) - Vector3d(0.5, 0.25, 0.2);
    field.segment<3>(3 * v) = (g - Matrix3d::Identity()) * x;
  }
  return test::solve(u.transpose() * u, u.transpose() * field);
}

Matrix3d turned(double angle) {
  Matrix3d r = Matrix3d::Identity();
  r.topLeftCorner<2, 2>() << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  return r;
}

TEST(StrainDamping, LeavesTurningAlone) {
  Matrix3d stretch, axial;
  stretch << 1.3, 0.2, 0, 0.2, 0.9, 0.1, 0, 0.1, 1.1;
  axial << 0, -1, 0, 1, 0, 0, 0, 0, 0;
  const StrainForm& form = linear_block().form;
  for (const double angle : {0.0, 0.7, 2.5}) {
    const Matrix3d g = turned(angle) * stretch;
    const VectorXd q = linear_coordinates(g), spin = linear_coordinates(Matrix3d::Identity() + axial * g);
    const VectorXd pull = linear_coordinates(Matrix3d::Identity() + turned(angle) * stretch);
    const MatrixXd d = damping_at(form, q);
    EXPECT_LE((d * spin).norm(), 1e-11 * d.norm() * spin.norm());
    EXPECT_GE((d * pull).norm(), 1e-3 * d.norm() * pull.norm());
    // Rayleigh's brakes it: the geometric part of K is what turns the force along.
    const MatrixXd k = evaluate(linear_block().model.energy, doubles(q)).stiffness.map();
    EXPECT_GE(spin.dot(k * spin), 1e-3 * k.norm() * spin.squaredNorm());
  }
}

// Spun up, the block comes to rest in its own frame, and turns on from then.
TEST(StrainDamping, LetsAFreeBodyTurnForEver) {
  const auto& [model, form] = linear_block();
  const BatchOptions options{.integrator = Integrator::energy_conserving};
  TestedBatch<double> batch(group_with(model.energy), options);
  damp(batch, 0.05, form);
  Matrix3d axial = Matrix3d::Zero();
  axial(1, 0) = 4;
  axial(0, 1) = -4;
  set_body(batch.velocity(), 0, linear_coordinates(Matrix3d::Identity() + axial));
  const double dt = 0.01, first = energy_of(batch);
  batch.step(5000 * dt, 5000);
  const double settled = energy_of(batch);
  EXPECT_LE(settled, 0.999 * first);
  batch.step(500 * dt, 500);
  EXPECT_NEAR(energy_of(batch), settled, 1e-9 * settled);
  damp(batch, 0, form);
  batch.set_rayleigh_damping(std::vector{0.0}, std::vector{0.05});
  batch.step(500 * dt, 500);
  EXPECT_LE(energy_of(batch), 0.9 * settled);
}

// ---- Of each body

// Bits don't depend on the batch, and bodies without any have those of a batch without.
template <class T>
void expect_own_bits(Evaluation evaluation) {
  const test::SumOfSquares squares = random_squares(sample_rank, 3);
  const std::vector<StrainForm> form = {squares.strain_form()};
  const BatchOptions options{.evaluation = evaluation};
  TestedBatch<T> many(group_with(squares.energy(), 19), options), damped(group_with(squares.energy()), options),
      free(group_with(squares.energy()), options);
  std::vector<double> times(19);
  for (std::size_t b = 1; b < 19; b += 2) times[b] = 0.001 * static_cast<double>(b);
  set_strain_damping<T>(many, times, form);
  set_strain_damping<T>(damped, std::vector{times[17]}, form);
  for (unsigned body = 0; body < 19; ++body) set_random_body(many, body, body);
  set_random_body(damped, 0, 17);
  set_random_body(free, 0, 16);
  for (Batch<T>* batch : {&many, &damped, &free}) batch->step(0.04, 4);
  EXPECT_EQ(get_body<T>(std::as_const(many).q(), 17), get_body<T>(std::as_const(damped).q(), 0));
  EXPECT_EQ(get_body<T>(std::as_const(many).q(), 16), get_body<T>(std::as_const(free).q(), 0));
  EXPECT_NE(get_body<T>(std::as_const(many).q(), 17), get_body<T>(std::as_const(many).q(), 16));
  for (std::size_t b = 0; b < 19; ++b) EXPECT_EQ(strain_damping(many)[b], double{static_cast<T>(times[b])});
}

TEST(StrainDamping, IsEachBodysOwn) {
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
    expect_own_bits<float>(evaluation);
    expect_own_bits<double>(evaluation);
  }
}

// A stiffness scale is one of stresses, viscous ones too.
TEST(StrainDamping, GrowsWithTheStiffnessScale) {
  const test::SumOfSquares squares = random_squares(sample_rank, 3);
  constexpr double scale = 4;
  QuarticEnergy stiffer = squares.energy();
  for (double& c : stiffer.coefficients) c *= scale;
  StrainForm larger = squares.strain_form();
  for (double& c : larger.factor) c *= std::sqrt(scale);
  TestedBatch<double> scaled(squares.energy()), stiff(stiffer);
  scaled.set_stiffness_scale(std::vector{scale});
  damp(scaled, tau, squares.strain_form());
  damp(stiff, tau, larger);
  for (Batch<double>* batch : {&scaled, &stiff}) {
    set_random_body(*batch, 0, 3);
    batch->step(0.04, 4);
  }
  const VectorXd a = get_body<double>(std::as_const(scaled).q(), 0), b = get_body<double>(std::as_const(stiff).q(), 0);
  EXPECT_LE((a - b).norm(), 1e-13 * b.norm());
}

// Forms stay for further times, and where forces come from a strain form, that damps.
TEST(StrainDamping, KeepsItsForm) {
  const test::SumOfSquares squares = random_squares(sample_rank, 3);
  std::vector<BodyGroup> group = group_with(squares.energy());
  group[0].strain_form = squares.strain_form();
  const BatchOptions options{.evaluation = Evaluation::accurate};
  TestedBatch<double> given(group, options), own(group, options);
  damp(given, 1, squares.strain_form());
  given.set_force_model(ForceModel(squares.energy(), squares.strain_form()));  // which takes nothing away
  for (Batch<double>* batch : {&given, &own}) {
    set_strain_damping(*batch, std::vector{tau});
    set_random_body(*batch, 0, 3);
    batch->step(0.04, 4);
  }
  EXPECT_EQ(get_body<double>(std::as_const(given).q(), 0), get_body<double>(std::as_const(own).q(), 0));
}

TEST(StrainDamping, RefusesWhatItCantTake) {
  const test::SumOfSquares squares = random_squares(sample_rank, 3);
  TestedBatch<double> batch(squares.energy());
  const StrainForm form = squares.strain_form();
  const auto refuse = [&](std::vector<double> time, std::vector<StrainForm> forms, const std::string& part) {
    expect_refused([&] { set_strain_damping<double>(batch, time, forms); }, part);
    EXPECT_EQ(strain_damping(batch), std::vector{0.0});
  };
  refuse({tau}, {}, "reduce_strains");
  refuse({-tau}, {form}, "strain damping");
  refuse({std::numeric_limits<double>::infinity()}, {form}, "strain damping");
  refuse({tau, tau}, {form}, "1 bodies");
  refuse({tau}, {form, form}, "2 strain forms for 1 groups");
  refuse({tau}, {random_squares(sample_rank - 1, 3).strain_form()}, "rank 4");
  StrainForm cut = form;
  cut.factor.pop_back();
  refuse({tau}, {cut}, "factor");
  EXPECT_THROW(static_cast<void>(strain_damping_matrix(form, std::vector{0.0})), InputError);
}

TEST(StrainDamping, GoesWithoutContacts) {
  const MeshModel& block = linear_block();
  Batch<double> batch(group_with(block.model.energy), {.integrator = Integrator::backward_euler});
  damp(batch, tau, block.form);
  expect_refused([&] { World<double> world(std::move(batch), {nullptr}); }, "set_strain_damping");
}

TEST(StrainDamping, BelongsToACheckpoint) {
  const test::TemporaryFolder folder;
  const test::SumOfSquares squares = random_squares(sample_rank, 3);
  TestedBatch<float> batch(squares.energy()), again(squares.energy()), plain(squares.energy());
  damp(batch, tau, squares.strain_form());
  damp(again, 0, squares.strain_form());
  set_random_body(batch, 0, 4);
  batch.step(0.02, 2);
  save_checkpoint(batch, folder / "damped.qstate");
  save_checkpoint(plain, folder / "plain.qstate");
  EXPECT_TRUE(checkpoint_has_strain_damping(folder / "damped.qstate"));
  EXPECT_FALSE(checkpoint_has_strain_damping(folder / "plain.qstate"));
  static_cast<void>(load_checkpoint(again, folder / "damped.qstate"));
  EXPECT_EQ(strain_damping(again), strain_damping(batch));
  batch.step(0.02, 2);
  again.step(0.02, 2);
  EXPECT_EQ(get_body<float>(std::as_const(batch).q(), 0), get_body<float>(std::as_const(again).q(), 0));
  expect_refused([&] { static_cast<void>(load_checkpoint(plain, folder / "damped.qstate")); }, "set_strain_damping");
  static_cast<void>(load_checkpoint(batch, folder / "plain.qstate"));
  EXPECT_EQ(strain_damping(batch), std::vector{0.0});
}

}  // namespace
}  // namespace quartic
