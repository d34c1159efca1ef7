// Pressure in batches. At one pressure p the energy V - p V_c is a quartic of q itself, so that a batch under pressure
// moves as one of that energy without chambers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "chambers/hollow.hpp"
#include "core/energy/symmetric_tensor.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/editing.hpp"
#include "quartic/model.hpp"
#include "support/batch_states.hpp"
#include "support/error_message.hpp"
#include "support/free_batches.hpp"
#include "support/random_moments.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class PressureTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PressureTest, Precisions);

constexpr int rank = 5;

EnclosedVolume random_volume(unsigned seed, int of_rank = rank) {
  return {of_rank, random_numbers(static_cast<std::size_t>(cubic_coefficient_count(of_rank)), seed)};
}

// V - p V_c as one tensor: T_abc at each of the four places where an index of S is 0.
QuarticEnergy with_pressure(QuarticEnergy energy, const EnclosedVolume& volume, double pressure) {
  const auto n = static_cast<std::size_t>(energy.rank) + 1;
  const auto at = [&](std::size_t a, std::size_t b, std::size_t c) {
    return volume.coefficients[triple_index(a, b, c, n)];
  };
  double* next = energy.coefficients.data();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b)
      for (std::size_t c = b; c < n; ++c)
        for (std::size_t d = c; d < n; ++d, ++next) {
          double sum = 0;  // zeros come first among ascending indices
          if (a == 0) sum += at(b, c, d);
          if (b == 0) sum += at(a, c, d);
          if (c == 0) sum += at(a, b, d);
          if (d == 0) sum += at(a, b, c);
          *next -= pressure * sum;
        }
  return energy;
}

template <class T>
void start(Batch<T>& batch, std::int64_t slot, unsigned number) {
  set_random_body(batch, slot, number);
  if (!batch.has_frame()) return;
  FreeState state;
  state.q = random_vector(rank, 3 * number, 0.3);
  state.rate = random_vector(rank, 3 * number + 1, 2);
  state.velocity = random_vector(3, 3 * number + 2, 1);
  state.spin = random_vector(3, 3 * number + 3, 4);
  set_state(batch, slot, state);
}

// Rounding of some steps, and how far the motion spreads it. Pressures matter: they move q by its own size.
template <class T>
double tolerance() {
  return 3e4 * double{std::numeric_limits<T>::epsilon()};
}

// These, and those that a device alone has.
std::vector<Evaluation> evaluations(std::vector<Evaluation> all) {
  if (tested_backend() == Backend::cuda) all.insert(all.end(), {Evaluation::tensor, Evaluation::cublas});
  return all;
}

// Bodies of one batch, each under pressures of its own in two chambers and with a stiffness scale, against batches of
// one body whose energy has all of that.
template <class T>
void expect_the_energys_motion(BodyGroup group, BatchOptions options) {
  SCOPED_TRACE(std::string(integrator_name(options.integrator)) + " " +
               std::string(evaluation_name(options.evaluation)));
  options.rayleigh_mass = 0.5;
  options.rayleigh_stiffness = 0.002;
  const std::vector<double> first = {12, -8, 0, 20, 5}, second = {0, 3, 0, -4, 9}, scale = {1, 1, 1, 0.5, 1.25};
  group.bodies = std::ssize(first);
  BodyGroup with_chambers = group;
  with_chambers.chambers = {random_volume(4), random_volume(5)};
  TestedBatch<T> batch({with_chambers}, options);
  ASSERT_EQ(batch.chamber_count(), 2);
  batch.set_pressure(first, 0);
  batch.set_pressure(second, 1);
  batch.set_stiffness_scale(scale);
  for (unsigned b = 0; b < group.bodies; ++b) start(batch, b, b);
  batch.step(0.02, 2);
  batch.step(0.01);
  for (std::int64_t b = 0; b < batch.bodies(); ++b) {
    const auto n = static_cast<std::size_t>(b);
    BodyGroup alone = group;
    alone.bodies = 1;
    alone.strain_form = {};
    for (double& c : alone.energy.coefficients) c *= scale[n];
    alone.energy = with_pressure(alone.energy, with_chambers.chambers[0], first[n]);
    alone.energy = with_pressure(alone.energy, with_chambers.chambers[1], second[n]);
    BatchOptions plain = options;
    if (plain.evaluation == Evaluation::accurate) plain.evaluation = Evaluation::strict;  // it isn't a sum of squares
    TestedBatch<T> reference({alone}, plain);
    start(reference, 0, static_cast<unsigned>(b));
    reference.step(0.02, 2);
    reference.step(0.01);
    const auto compare = [&](StateView<const T> state, StateView<const T> expected) {
      const Eigen::VectorXd x = get_body(state, b), y = get_body(expected, 0);
      EXPECT_LE((x - y).template lpNorm<Eigen::Infinity>(), tolerance<T>() * y.template lpNorm<Eigen::Infinity>()) << b;
    };
    compare(std::as_const(batch).q(), std::as_const(reference).q());
    compare(std::as_const(batch).velocity(), std::as_const(reference).velocity());
  }
}

TYPED_TEST(PressureTest, IsATermOfTheEnergy) {
  const SumOfSquares squares = random_squares(rank, 3, static_cast<int>(strain_count(rank)));
  for (const Integrator integrator : all_integrators)
    for (const Evaluation evaluation : evaluations({Evaluation::strict, Evaluation::latency, Evaluation::accurate}))
      expect_the_energys_motion<TypeParam>(
          {.energy = squares.energy(), .strain_form = squares.strain_form()},
          {.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation});
}

TYPED_TEST(PressureTest, IsATermOfFreeBodiesEnergies) {
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler, Integrator::energy_conserving})
    for (const Evaluation evaluation : evaluations({Evaluation::strict, Evaluation::latency}))
      expect_the_energys_motion<TypeParam>(
          {.energy = random_squares(rank, 7).energy(), .frame = random_moments(rank, 5)},
          {.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation});
}

// Chambers without pressure, and none at all beside them, move as before; a body's bits are its own.
TYPED_TEST(PressureTest, BodiesDontDependOnTheirBatch) {
  const QuarticEnergy energy = random_squares(rank, 3).energy();
  constexpr std::int64_t bodies = 20;
  for (const Integrator integrator : all_integrators)
    for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency}) {
      const BatchOptions options{.integrator = integrator, .newton_iterations = 2, .evaluation = evaluation};
      const BodyGroup hollow{.energy = energy, .bodies = bodies, .chambers = {random_volume(4)}};
      TestedBatch<TypeParam> batch({hollow, {.energy = energy, .bodies = 3}}, options);
      TestedBatch<TypeParam> plain({{.energy = energy, .bodies = 3}}, options);
      std::vector<double> pressure(bodies + 3);
      for (std::size_t b = 0; b < pressure.size(); ++b) pressure[b] = static_cast<double>(b) - 4;
      batch.set_pressure(pressure);
      for (unsigned b = 0; b < bodies; ++b) start(batch, b, b);
      for (unsigned b = 0; b < 3; ++b) start(batch, bodies + b, b), start(plain, b, b);
      batch.step(0.03, 2);
      plain.step(0.03, 2);
      for (std::int64_t b = 0; b < 3; ++b) EXPECT_EQ(full_state(batch, bodies + b), full_state(plain, b));
      for (const std::int64_t b : {0, 4, 17}) {
        BodyGroup one = hollow;
        one.bodies = 1;
        TestedBatch<TypeParam> alone({one}, options);
        alone.set_pressure(std::vector{pressure[static_cast<std::size_t>(b)]});
        start(alone, 0, static_cast<unsigned>(b));
        alone.step(0.03, 2);
        EXPECT_EQ(full_state(batch, b), full_state(alone, 0)) << b;
      }
    }
}

// Under pressures that change from step to step, what is put into the body is the sum of p (V_after - V_before).
TEST(PressureWorkTest, IsWhatTheEnergyGrowsBy) {
  const QuarticEnergy energy = random_squares(rank, 3).energy();
  const EnclosedVolume volume = random_volume(4);
  TestedBatch<double> batch({{.energy = energy, .chambers = {volume}}}, {.integrator = Integrator::energy_conserving});
  start(batch, 0, 1);
  for (std::int64_t i = 0; i < rank; ++i) batch.force()(i, 0) = 0;
  const auto total = [&] { return batch.elastic_energy()[0] + batch.kinetic_energy()[0]; };
  const double before = total();
  double work = 0, largest = 0;
  for (int n = 0; n < 200; ++n) {
    const double pressure = 20 * std::sin(0.1 * n), start_volume = batch.enclosed_volume()[0];
    batch.set_pressure(std::vector{pressure});
    batch.step(0.02);
    const Eigen::VectorXd q = get_body(std::as_const(batch).q(), 0);
    const double now = evaluate(volume, std::span(q.data(), static_cast<std::size_t>(rank))).volume;
    EXPECT_NEAR(batch.enclosed_volume()[0], now, 1e-12 * (1 + std::abs(now)));
    work += pressure * (batch.enclosed_volume()[0] - start_volume);
    largest = std::max(largest, total());
  }
  EXPECT_EQ(batch.status()[0], BodyStatus::ok);
  EXPECT_GT(std::abs(work), 0.1 * before);
  EXPECT_NEAR(total(), before + work, 1e-11 * largest);
}

TYPED_TEST(PressureTest, BadPressuresChangeNothing) {
  TestedBatch<TypeParam> batch({{.energy = duffing(1, 1), .bodies = 2, .chambers = {random_volume(1, 1)}}});
  batch.set_pressure(std::vector{2.0, -3.0});
  for (const double value : {std::nan(""), double{INFINITY}, 1e39}) {
    if (value == 1e39 && sizeof(TypeParam) == 8) continue;  // fits into double
    EXPECT_THROW(batch.set_pressure(std::vector{1.0, value}), InputError) << value;
  }
  EXPECT_THROW(batch.set_pressure(std::vector{1.0}), InputError);
  EXPECT_THROW(batch.set_pressure(std::vector{1.0, 2.0}, 1), InputError);
  EXPECT_THROW(batch.set_pressure(std::vector{1.0, 2.0}, -1), InputError);
  EXPECT_EQ(batch.pressure()[0], TypeParam{2});
  EXPECT_EQ(batch.pressure()[1], TypeParam{-3});
}

TYPED_TEST(PressureTest, NewEnergiesKeepTheChambers) {
  const BodyGroup group{.energy = random_squares(rank, 3).energy(), .chambers = {random_volume(4)}};
  TestedBatch<TypeParam> batch({group});
  const QuarticEnergy other = random_squares(rank, 8).energy();
  batch.set_energy(other);
  ASSERT_EQ(batch.force_model().chambers.size(), 1U);
  TestedBatch<TypeParam> anew({{.energy = other, .chambers = {random_volume(4)}}});
  for (Batch<TypeParam>* b : {static_cast<Batch<TypeParam>*>(&batch), static_cast<Batch<TypeParam>*>(&anew)}) {
    b->set_pressure(std::vector{15.0});
    start(*b, 0, 2);
    b->step(0.05, 3);
  }
  EXPECT_EQ(full_state(batch, 0), full_state(anew, 0));
  EXPECT_THROW(batch.set_force_model(ForceModel(other)), InputError);
  EXPECT_THROW(batch.set_force_model({other, {}, {random_volume(4, 4)}}), InputError);
  EXPECT_THROW((TestedBatch<TypeParam>({{.energy = other, .chambers = {random_volume(4, 3)}}})), InputError);
  EXPECT_THROW((TestedBatch<TypeParam>({{.force_model = ForceModel(other), .chambers = {random_volume(4)}}})),
               InputError);
}

TYPED_TEST(PressureTest, CheckpointsGoOn) {
  const TemporaryFolder folder;
  const BodyGroup group{.energy = random_squares(rank, 3).energy(), .bodies = 3, .chambers = {random_volume(4)}};
  TestedBatch<TypeParam> batch({group}), restored({group});
  batch.set_pressure(std::vector{15.0, 0.0, -3.0});
  for (unsigned b = 0; b < 3; ++b) start(batch, b, b);
  batch.step(0.05, 3);
  save_checkpoint(batch, folder / "a.qstate");
  batch.step(0.05, 3);
  restored.set_pressure(std::vector{1.0, 1.0, 1.0});
  EXPECT_TRUE(load_checkpoint(restored, folder / "a.qstate").empty());
  restored.step(0.05, 3);
  for (std::int64_t b = 0; b < 3; ++b) EXPECT_EQ(full_state(batch, b), full_state(restored, b)) << b;
  BodyGroup other = group;
  other.chambers = {random_volume(6)};
  TestedBatch<TypeParam> others({other});
  EXPECT_NE(message_of([&] { load_checkpoint(others, folder / "a.qstate"); }).find("pressures in other chambers"),
            std::string::npos);
  // Without pressures files are those of batches without chambers, and reset them.
  batch.set_pressure(std::vector(3, 0.0));
  save_checkpoint(batch, folder / "b.qstate");
  load_checkpoint(restored, folder / "b.qstate");
  EXPECT_EQ(restored.pressure()[0], TypeParam{0});
  EXPECT_TRUE(checkpoint_has_pressures(folder / "a.qstate"));
  EXPECT_FALSE(checkpoint_has_pressures(folder / "b.qstate"));
  TestedBatch<TypeParam> plain({{.energy = group.energy, .bodies = 3}});
  load_checkpoint(plain, folder / "b.qstate");
}

// A small hollow body, held outside: files, dropped coordinates, other materials.
TEST(ModelChambersTest, GoThroughFilesAndEdits) {
  VolumeMesh mesh = hollow_box(BoxCells::hexes);
  mesh.vertex_sets["air"] = box_vertices(mesh, false);
  ReducedModel model = reduce(mesh, box_vertices(mesh, true), {.modes = 4, .rank = 8, .region_parts = true});
  add_chamber(model, find_chamber(model.mesh, "air"));
  EXPECT_EQ(find_chamber(model, "air"), 0);
  EXPECT_THROW(static_cast<void>(find_chamber(model, "gas")), InputError);
  EXPECT_THROW(add_chamber(model, find_chamber(model.mesh, "air")), InputError);
  Chamber turned = find_cavities(model.mesh).at(0);  // the same faces, from another on
  std::rotate(turned.faces.begin(), turned.faces.begin() + chamber_face_size, turned.faces.end());
  std::rotate(turned.faces.begin(), turned.faces.begin() + 1, turned.faces.begin() + 4);
  EXPECT_NE(message_of([&] { add_chamber(model, turned); }).find("has the faces of 'air'"), std::string::npos);
  const auto expect_own_volume = [](const ReducedModel& of) {
    ASSERT_EQ(of.chambers.size(), 1U);
    const EnclosedVolume anew = reduce_volume(of.mesh, of.chambers[0].chamber, of.basis.map());
    ASSERT_EQ(of.chambers[0].volume.coefficients.size(), anew.coefficients.size());
    const double size = Eigen::VectorXd::Map(anew.coefficients.data(), std::ssize(anew.coefficients)).norm();
    for (std::size_t n = 0; n < anew.coefficients.size(); ++n)
      EXPECT_NEAR(of.chambers[0].volume.coefficients[n], anew.coefficients[n], 1e-13 * size) << n;
  };
  expect_own_volume(model);
  expect_own_volume(keep_basis_vectors(model, std::vector{0, 2, 5}));
  const std::vector<Material> materials = {{2e5, 0.3, 100}, {4e6, 0.45, 9000}};
  const ReducedModel edited = with_materials(model, materials);
  EXPECT_GT((edited.basis.map() - model.basis.map()).norm(), 0.1 * model.basis.map().norm());
  expect_own_volume(edited);

  const TemporaryFolder folder;
  save_model(model, folder / "a.qrt");
  const ReducedModel loaded = load_model(folder / "a.qrt");
  ASSERT_EQ(loaded.chambers.size(), 1U);
  EXPECT_EQ(loaded.chambers[0].chamber.name, "air");
  EXPECT_EQ(loaded.chambers[0].chamber.faces, model.chambers[0].chamber.faces);
  EXPECT_EQ(loaded.chambers[0].volume.coefficients, model.chambers[0].volume.coefficients);

  // A running body under pressure goes on at the same place with the edit's energy.
  Batch<double> batch({{.energy = model.energy, .chambers = chamber_volumes(model)}});
  for (std::int64_t i = 0; i < model.rank(); ++i) batch.q()(i, 0) = 1e-3;
  const double volume = batch.enclosed_volume()[0];
  const MaterialEdit edit = edit_materials(model, materials);
  apply_edit(batch, edit);
  EXPECT_NEAR(batch.enclosed_volume()[0], volume, 1e-13);
  Batch<double> without({{.energy = model.energy, .chambers = {edit.chambers[0], edit.chambers[0]}}});
  EXPECT_THROW(apply_edit(without, edit), InputError);
}

}  // namespace
}  // namespace quartic
