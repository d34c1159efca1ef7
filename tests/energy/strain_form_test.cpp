// Energies as sums of squares of strains: the same energy, and forces that survive rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace quartic {
namespace {

// A cantilever, every third element of a harder material with a negative Poisson's ratio.
ProceduralMesh sample_beam(ElementType type, int cells = 8) {
  ProceduralMesh beam = make_box({.length = 1, .width = 0.1, .height = 0.1, .cells_x = cells, .type = type});
  beam.mesh.regions.push_back({"hard", Material{.youngs_modulus = 3e7, .poissons_ratio = -0.2, .density = 1000}});
  for (std::size_t e = 0; e < beam.mesh.element_region.size(); e += 3) beam.mesh.element_region[e] = 1;
  return beam;
}

// Any fields: waves of some lengths.
Matrix sample_basis(const VolumeMesh& mesh, int rank) {
  Matrix basis(static_cast<std::int64_t>(mesh.vertices.size()), rank);
  for (std::int64_t i = 0; i < rank; ++i)
    for (std::int64_t n = 0; n < basis.rows; ++n)
      basis(n, i) = std::sin((1.0 + static_cast<double>(i)) * mesh.vertices[static_cast<std::size_t>(n / 3 * 3)] +
                             static_cast<double>(n % 3 + 2 * i));
  return basis;
}

std::vector<double> sample_point(int rank, double size) {
  std::vector<double> q;
  for (int i = 0; i < rank; ++i) q.push_back(size * std::cos(1.7 * i + 0.3));
  return q;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

void expect_close(const std::vector<double>& values, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  const double scale = largest(expected);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance * scale) << i;
}

TEST(StrainFormTest, IsTheEnergyThatTheCoefficientsGive) {
  for (const ElementType type : {ElementType::tet4, ElementType::hex8})
    for (const int rank : {1, 2, 5, 9}) {
      SCOPED_TRACE(rank);
      const VolumeMesh mesh = sample_beam(type).mesh;
      const Matrix basis = sample_basis(mesh, rank);
      // Small tiles, so that the triangle is made of many.
      const StrainForm form = reduce_strains(mesh, basis.map(), {.workspace_bytes = 60'000});
      const QuarticEnergy energy = reduce_energy(mesh, basis.map());
      for (const double size : {1e-3, 0.3}) {
        const std::vector<double> q = sample_point(rank, size);
        const ReducedForces ours = evaluate(form, q), expected = evaluate(energy, q);
        // Round-off of sums of some hundreds of terms, on both sides.
        EXPECT_NEAR(ours.energy, expected.energy, 1e-12 * expected.energy);
        expect_close(ours.force, expected.force, 1e-12);
        expect_close(ours.stiffness.values, expected.stiffness.values, 1e-12);
      }
    }
}

// Fewer strains than squares: 6 strains at one point, 20 squares.
TEST(StrainFormTest, MayHaveFewerStrainsThanSquares) {
  VolumeMesh mesh;
  mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3}}};
  mesh.element_region = {0};
  mesh.regions = {{"body", Material{.youngs_modulus = 1e3, .poissons_ratio = 0.3, .density = 1}}};
  const Matrix basis = sample_basis(mesh, 5);
  const std::vector<double> q = sample_point(5, 0.2);
  expect_close(evaluate(reduce_strains(mesh, basis.map()), q).force,
               evaluate(reduce_energy(mesh, basis.map()), q).force, 1e-12);
}

TEST(StrainFormTest, RefusesWhatDoesNotFit) {
  const VolumeMesh mesh = sample_beam(ElementType::hex8, 2).mesh;
  const Matrix basis = sample_basis(mesh, 3);
  StrainForm form = reduce_strains(mesh, basis.map());
  EXPECT_THROW(reduce_strains(mesh, basis.map(), {.workspace_bytes = 1000}), InputError);
  EXPECT_THROW(evaluate(form, sample_point(2, 1)), InputError);
  form.factor.back() = NAN;
  EXPECT_THROW(evaluate(form, sample_point(3, 1)), InputError);
  form.factor.pop_back();
  EXPECT_THROW(evaluate(form, sample_point(3, 1)), InputError);
  EXPECT_THROW(evaluate(StrainForm{}, {}), InputError);
}

// ---- batches -------------------------------------------------------------------------------------------------

BodyGroup sample_group(int rank, std::int64_t bodies) {
  const ProceduralMesh beam = sample_beam(ElementType::hex8);
  const ReducedModel model = reduce(beam.mesh, beam.fixed_vertices, {.modes = std::min(rank, 6), .rank = rank});
  return {model.energy, bodies, reduce_strains(model.mesh, model.basis.map())};
}

template <class T>
void set_state(Batch<T>& batch, std::int64_t body, int number) {
  for (std::int64_t i = 0; i < batch.rank(); ++i) {
    const auto phase = static_cast<double>(i + 5 * number);
    batch.q()(i, body) = static_cast<T>(0.05 * std::sin(phase));
    batch.velocity()(i, body) = static_cast<T>(std::sin(1.3 * phase));
    batch.force()(i, body) = static_cast<T>(10 * std::cos(phase));
  }
}

template <class T>
std::vector<double> state_of(const Batch<T>& batch, std::int64_t body) {
  std::vector<double> state;
  for (const auto& view : {batch.q(), batch.velocity(), batch.acceleration()})
    for (std::int64_t i = 0; i < batch.rank(); ++i) state.push_back(double{view(i, body)});
  return state;
}

// Ranks of one, of less than a group of rows, and of some groups, the last one partly filled.
TEST(StrainFormTest, StepsMatchThoseFromCoefficients) {
  for (const int rank : {1, 3, 8, 13})
    for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler,
                                        Integrator::central_differences, Integrator::energy_conserving}) {
      SCOPED_TRACE(rank);
      BatchOptions options{.integrator = integrator,
                           .rayleigh_mass = 0.5,
                           .rayleigh_stiffness = 1e-4,
                           .newton_iterations = 3,
                           .evaluation = Evaluation::accurate};
      const std::vector<BodyGroup> groups = {sample_group(rank, 3)};
      Batch<double> accurate(groups, options);
      options.evaluation = Evaluation::strict;
      Batch<double> strict(groups, options);
      for (Batch<double>* batch : {&accurate, &strict}) {
        for (int body = 0; body < 3; ++body) set_state(*batch, body, body);
        batch->step(5e-5, 5);
      }
      for (int body = 0; body < 3; ++body)
        expect_close(state_of(accurate, body), state_of(strict, body), 1e-9);  // of accelerations, by far the greatest
    }
}

TEST(StrainFormTest, PlaceCompanyAndThreadsDoNotMatter) {
  const BodyGroup group = sample_group(8, 1);
  const auto run = [&](std::int64_t bodies, std::int64_t place, int threads) {
    BodyGroup some = group;
    some.bodies = bodies;
    Batch<float> batch({some}, {.threads = threads, .evaluation = Evaluation::accurate});
    for (std::int64_t body = 0; body < bodies; ++body) set_state(batch, body, static_cast<int>(body % 50));
    set_state(batch, place, 100);
    batch.step(1e-3, 4);
    return state_of(batch, place);
  };
  const std::vector<double> alone = run(1, 0, 1);
  EXPECT_EQ(run(40, 17, 1), alone);
  EXPECT_EQ(run(33, 32, 2), alone);
}

// Where a slender beam comes to rest under a load that bends it far, in float and in double.
TEST(StrainFormTest, FloatFindsTheRestOfABentBeam) {
  const ProceduralMesh beam =
      make_box({.length = 1, .width = 0.02, .height = 0.02, .cells_x = 40, .cells_y = 1, .cells_z = 1});
  const ReducedModel model = reduce(beam.mesh, beam.fixed_vertices, {.modes = 8, .rank = 20});
  const std::vector<BodyGroup> groups = {{model.energy, 1, reduce_strains(model.mesh, model.basis.map())}};
  const auto rest = [&]<class T>(T, Evaluation evaluation) {
    Batch<T> batch(groups,
                   {.integrator = Integrator::backward_euler, .newton_iterations = 4, .evaluation = evaluation});
    for (std::int64_t i = 0; i < model.rank(); ++i)
      batch.force()(i, 0) = static_cast<T>(-4 * model.unit_acceleration(i, 2));
    batch.step(1000, 1000);
    std::vector<double> q;
    for (std::int64_t i = 0; i < model.rank(); ++i) q.push_back(double{batch.q()(i, 0)});
    return q;
  };
  const std::vector<double> expected = rest(1.0, Evaluation::strict);
  const auto error = [&](const std::vector<double>& q) {
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      sum += (q[i] - expected[i]) * (q[i] - expected[i]);
      size += expected[i] * expected[i];
    }
    return std::sqrt(sum / size);
  };
  const double strict = error(rest(1.0F, Evaluation::strict)), accurate = error(rest(1.0F, Evaluation::accurate));
  EXPECT_LT(accurate, 1e-6);  // some roundings of float
  EXPECT_GT(strict, 10 * accurate);
}

// Strains without their linear or without their quadratic part, of a body of 1 mm and of one of 1 km.
TEST(StrainFormTest, BatchesRefuseHalfAForm) {
  for (const double length : {1e-3, 1e3}) {
    const ProceduralMesh beam = make_box({.length = length, .width = length / 5, .height = length / 5, .cells_x = 5});
    const ReducedModel model = reduce(beam.mesh, beam.fixed_vertices, {.modes = 4, .rank = 6});
    const StrainForm form = reduce_strains(model.mesh, model.basis.map());
    const BatchOptions options{.evaluation = Evaluation::accurate};
    EXPECT_NO_THROW(Batch<double>({{model.energy, 1, form}}, options));
    for (const bool linear : {true, false}) {
      StrainForm half = form;
      std::size_t entry = 0;
      for (std::int64_t row = 0; row < strain_count(6); ++row)
        for (std::int64_t column = row; column < strain_count(6); ++column, ++entry)
          if ((column < 6) == linear) half.factor[entry] = 0;
      EXPECT_THROW(Batch<double>({{model.energy, 1, half}}, options), InputError) << length << linear;
    }
  }
}

TEST(StrainFormTest, BatchesRefuseFormsOfOtherEnergies) {
  const BodyGroup good = sample_group(3, 1);
  const BatchOptions options{.evaluation = Evaluation::accurate};
  const auto refused = [&](BodyGroup group) { EXPECT_THROW(Batch<float>({std::move(group)}, options), InputError); };
  refused({good.energy, 1, {}});
  refused({good.energy, 1, sample_group(2, 1).strain_form});
  BodyGroup other = good;
  for (double& value : other.energy.coefficients) value *= 1.01;
  refused(other);
  EXPECT_THROW(Batch<float>(good.energy, options), InputError);
  Batch<float> batch({good}, options);
  EXPECT_THROW(batch.set_energy(good.energy), InputError);
}

}  // namespace
}  // namespace quartic
