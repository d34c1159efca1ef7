// Cubatures of all points against the projected unreduced body; their derivatives; batches of them.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/cubature.hpp"
#include "quartic/cubature_training.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"
#include "quartic/procedural.hpp"
#include "quartic/statics.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array bases = {ControlVariate::none, ControlVariate::stiffness, ControlVariate::stvk};

// A block of bricks, every third of a second law.
VolumeMesh block_of(ElementType type, MaterialLaw law) {
  VolumeMesh mesh =
      make_box({.length = 1, .width = 0.9, .height = 0.8, .cells_x = 2, .cells_y = 1, .cells_z = 2, .type = type}).mesh;
  const Material material = {.youngs_modulus = 1e5, .poissons_ratio = 0.35, .density = 1000, .law = law};
  mesh.regions[0].material = material;
  mesh.regions.push_back({"other", material});
  mesh.regions[1].material->law = MaterialLaw::stable_neo_hookean;
  for (std::size_t e = 0; e < mesh.element_region.size(); e += 3) mesh.element_region[e] = 1;
  return mesh;
}

// Smooth fields that are zero at x = 0, orthonormal.
MatrixXd smooth_basis(const VolumeMesh& mesh, int rank) {
  MatrixXd basis(3 * mesh.vertex_count(), rank);
  for (Eigen::Index v = 0; v < mesh.vertex_count(); ++v) {
    const double* x = &mesh.vertices[3 * static_cast<std::size_t>(v)];
    for (Eigen::Index i = 0; i < rank; ++i)
      for (Eigen::Index c = 0; c < 3; ++c)
        basis(3 * v + c, i) = x[0] * std::sin(1.0 + static_cast<double>(i * 3 + c) * (x[0] + 0.7 * x[1] - 0.4 * x[2]));
  }
  for (Eigen::Index i = 0; i < rank; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) basis.col(i) -= basis.col(j) * basis.col(j).dot(basis.col(i));
    basis.col(i).normalize();
  }
  return basis;
}

VectorXd random_state(int rank, double size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return VectorXd::NullaryExpr(rank, [&] { return size * normal(random); });
}

std::vector<double> numbers(const VectorXd& x) {
  return {x.begin(), x.end()};
}
VectorXd force_of(const ReducedForces& f) {
  return VectorXd::Map(f.force.data(), std::ssize(f.force));
}

class AllPoints : public testing::TestWithParam<MaterialLaw> {};

TEST_P(AllPoints, AreTheProjectedBody) {
  constexpr int rank = 5;
  for (const ElementType type : {ElementType::tet4, ElementType::tet10, ElementType::hex8}) {
    const VolumeMesh mesh = block_of(type, GetParam());
    const MatrixXd basis = smooth_basis(mesh, rank);
    const VectorXd q = random_state(rank, 0.1, 3);
    const std::vector<double> u = numbers(basis * q);
    const std::vector<double> r = internal_force(mesh, u);
    const VectorXd force = basis.transpose() * VectorXd::Map(r.data(), std::ssize(r));
    const MatrixXd stiffness = basis.transpose() * (tangent_stiffness(mesh, u).map() * basis);
    const double energy = strain_energy(mesh, u);
    for (const ControlVariate base : bases) {
      const ReducedForces all = evaluate(full_cubature(mesh, basis, base), numbers(q));
      const std::string what = std::string(element_type_name(type)) + ", " + std::string(control_variate_name(base));
      EXPECT_NEAR(all.energy, energy, 1e-12 * energy) << what;
      EXPECT_LT((force_of(all) - force).norm(), 1e-12 * force.norm()) << what;
      EXPECT_LT((all.stiffness.map() - stiffness).norm(), 1e-12 * stiffness.norm()) << what;
    }
  }
}

// Whatever the weights are, R and K are derivatives of V.
TEST_P(AllPoints, WithAnyWeightsHaveDerivatives) {
  constexpr int rank = 4;
  const VolumeMesh mesh = block_of(ElementType::tet4, GetParam());
  const MatrixXd basis = smooth_basis(mesh, rank);
  for (const ControlVariate base : bases) {
    Cubature cubature = full_cubature(mesh, basis, base);
    for (std::size_t p = 0; p < cubature.weights.size(); ++p)
      cubature.weights[p] = p % 5 == 0 ? 5 * std::abs(std::sin(static_cast<double>(p))) : 0;
    const VectorXd q = random_state(rank, 0.15, 5), d = random_state(rank, 1, 6);
    constexpr double h = 1e-6;
    const ReducedForces here = evaluate(cubature, numbers(q)), plus = evaluate(cubature, numbers(q + h * d)),
                        minus = evaluate(cubature, numbers(q - h * d));
    EXPECT_NEAR((plus.energy - minus.energy) / (2 * h), force_of(here).dot(d), 1e-7 * force_of(here).norm() * d.norm());
    const VectorXd product = here.stiffness.map() * d;
    EXPECT_LT(((force_of(plus) - force_of(minus)) / (2 * h) - product).norm(), 1e-7 * product.norm());
    EXPECT_EQ(here.stiffness.map(), here.stiffness.map().transpose());
  }
}

INSTANTIATE_TEST_SUITE_P(All, AllPoints,
                         testing::Values(MaterialLaw::stvk, MaterialLaw::stable_neo_hookean,
                                         MaterialLaw::neo_hookean_polynomial, MaterialLaw::mooney_rivlin,
                                         MaterialLaw::corotational),
                         [](const auto& info) {
                           std::string name(material_law_name(info.param));
                           std::erase(name, '-');
                           return name;
                         });

// A block of rubber with a few points of weights that sum up to its volume.
Cubature rubber(ControlVariate base, int rank = 4) {
  const VolumeMesh mesh = block_of(ElementType::tet4, MaterialLaw::mooney_rivlin);
  Cubature cubature = full_cubature(mesh, smooth_basis(mesh, rank), base);
  for (std::size_t p = 0; p < cubature.weights.size(); ++p) cubature.weights[p] = p % 2 == 0 ? 2 : 0;
  return cubature;
}

// One implicit step of many bodies against its residual with the reference evaluation.
template <class T>
double step_residual(const Cubature& cubature, Integrator integrator, double dt) {
  Batch<T> batch({{.bodies = 19, .force_model = ForceModel(cubature)}},
                 {.integrator = integrator, .newton_iterations = 12});
  for (std::int64_t b = 0; b < 19; ++b) {
    const VectorXd q = random_state(cubature.rank, 0.05, static_cast<unsigned>(b)),
                   v = random_state(cubature.rank, 1, static_cast<unsigned>(b + 40));
    for (int i = 0; i < cubature.rank; ++i) {
      batch.q()(i, b) = static_cast<T>(q[i]);
      batch.velocity()(i, b) = static_cast<T>(v[i]);
      batch.force()(i, b) = static_cast<T>(3 * i);
    }
  }
  batch.step(dt);
  double worst = 0;
  for (std::int64_t b = 0; b < 19; ++b) {
    VectorXd q(cubature.rank), a(cubature.rank), f(cubature.rank);
    for (int i = 0; i < cubature.rank; ++i) {
      q[i] = double{batch.q()(i, b)};
      a[i] = double{batch.acceleration()(i, b)};
      f[i] = 3 * i;
    }
    const ReducedForces forces = evaluate(cubature, numbers(q));
    const VectorXd internal = force_of(forces);
    worst = std::max(worst, (a + internal - f).norm() / (a.norm() + internal.norm()));
    EXPECT_NEAR(batch.elastic_energy()[static_cast<std::size_t>(b)], forces.energy, 1e-12 * forces.energy);
  }
  return worst;
}

TEST(CubatureBatch, StepsWithTheReferencesForces) {
  for (const ControlVariate base : bases)
    for (const int rank : {1, 4, 7}) {
      const Cubature cubature = rubber(base, rank);
      EXPECT_LT(step_residual<double>(cubature, Integrator::newmark, 1e-2), 1e-10);
      EXPECT_LT(step_residual<double>(cubature, Integrator::backward_euler, 1e-2), 1e-10);
      EXPECT_LT(step_residual<double>(cubature, Integrator::central_differences, 1e-4), 1e-12);
      EXPECT_LT(step_residual<float>(cubature, Integrator::newmark, 1e-2), 3e-5);
    }
}

TEST(CubatureBatch, SlowEnergyIsConservedOverTenThousandSteps) {
  for (const ControlVariate base : bases) {
    Cubature cubature = rubber(base);
    // Sampled crudely, what is taken off the StVK energy would outgrow it at such strains.
    if (base == ControlVariate::stvk) std::ranges::fill(cubature.weights, 1.0);
    Batch<double> batch({{.force_model = ForceModel(cubature)}}, {.integrator = Integrator::energy_conserving});
    const VectorXd v = random_state(cubature.rank, 60, 9);  // strains of some tenths
    for (int i = 0; i < cubature.rank; ++i) batch.velocity()(i, 0) = v[i];
    const double before = batch.kinetic_energy()[0] + batch.elastic_energy()[0];
    double largest_elastic = 0, drift = 0;
    for (int n = 0; n < 100; ++n) {
      batch.step(0.1, 100);  // 1 ms
      const double elastic = batch.elastic_energy()[0];
      largest_elastic = std::max(largest_elastic, elastic);
      drift = std::max(drift, std::abs(elastic + batch.kinetic_energy()[0] - before) / before);
    }
    EXPECT_LT(drift, 1e-10) << control_variate_name(base);
    EXPECT_GT(largest_elastic, 0.1 * before);
    EXPECT_EQ(batch.flags()[0], BodyFlags::none);
  }
}

// Differences of energies are round-off there, which mustn't push the body: it stays within the round-off of its place.
template <class T>
void expect_rest_under_load(ControlVariate base) {
  const Cubature cubature = rubber(base);
  const std::vector<double> load = {5000, -3000, 2000, 1000};
  const Equilibrium rest = reduced_equilibrium(cubature, load, {}, {.tolerance = 1e-12});
  ASSERT_TRUE(rest.converged);
  Batch<T> batch({{.force_model = ForceModel(cubature)}}, {.integrator = Integrator::energy_conserving});
  double size = 0, farthest = 0;
  for (int i = 0; i < cubature.rank; ++i) {
    const double q = rest.solution[static_cast<std::size_t>(i)];
    batch.q()(i, 0) = static_cast<T>(q);
    batch.force()(i, 0) = static_cast<T>(load[static_cast<std::size_t>(i)]);
    size = std::max(size, std::abs(q));
  }
  for (int n = 0; n < 100; ++n) {
    batch.step(0.01, 10);
    for (int i = 0; i < cubature.rank; ++i)
      farthest = std::max(farthest, std::abs(double{batch.q()(i, 0)} - rest.solution[static_cast<std::size_t>(i)]));
    EXPECT_EQ(batch.flags()[0], BodyFlags::none) << n;
  }
  // Rounding of each of the thousand steps, which nothing damps, and the tolerance of the equilibrium.
  EXPECT_LT(farthest, (100 * double{std::numeric_limits<T>::epsilon()} + 1e-11) * size) << control_variate_name(base);
}

TEST(CubatureBatch, StaysAtRestUnderLoad) {
  for (const ControlVariate base : bases) {
    expect_rest_under_load<float>(base);
    expect_rest_under_load<double>(base);
  }
}

TEST(CubatureBatch, BodiesHaveTheSameBitsInAnyCompany) {
  const Cubature cubature = rubber(ControlVariate::stiffness);
  const auto end_of = [&](std::vector<BodyGroup> groups, std::int64_t body, int threads) {
    Batch<float> batch(std::move(groups), {.threads = threads});
    for (int i = 0; i < 4; ++i) batch.velocity()(i, body) = 1 + static_cast<float>(i);
    batch.step(0.1, 10);
    std::vector<float> q;
    for (int i = 0; i < 4; ++i) q.push_back(batch.q()(i, body));
    return q;
  };
  const QuarticEnergy quartic_energy = ForceModel(rubber(ControlVariate::stvk)).energy;
  const std::vector<float> alone = end_of({{.force_model = ForceModel(cubature)}}, 0, 1);
  EXPECT_EQ(
      end_of({{.energy = quartic_energy, .bodies = 3}, {.bodies = 40, .force_model = ForceModel(cubature)}}, 25, 3),
      alone);
}

// Bodies with inverted points step on with finite numbers, and a diverging one leaves the others alone.
TEST(CubatureBatch, InvertedBodiesStayFinite) {
  const Cubature cubature = rubber(ControlVariate::none);
  Batch<double> batch({{.bodies = 3, .force_model = ForceModel(cubature)}}, {.integrator = Integrator::backward_euler});
  for (int i = 0; i < 4; ++i) {
    batch.q()(i, 0) = random_state(4, 4, 2)[i];  // far beyond collapse
    batch.q()(i, 1) = std::numeric_limits<double>::infinity();
    batch.velocity()(i, 2) = 1;
  }
  batch.step(0.01, 5);
  EXPECT_NE(batch.status()[0], BodyStatus::diverged);
  EXPECT_EQ(batch.status()[1], BodyStatus::diverged);
  EXPECT_EQ(batch.status()[2], BodyStatus::ok);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isfinite(batch.q()(i, 0)));
}

// Projected tangents change the way to an equilibrium, not the equilibrium.
TEST(CubatureStatics, FindEquilibria) {
  for (const LawTangent tangent : {LawTangent::exact, LawTangent::projected}) {
    Cubature cubature = rubber(ControlVariate::none);
    cubature.tangent = tangent;
    const std::vector<double> force = {5000, -3000, 2000, 1000};
    const Equilibrium result = reduced_equilibrium(cubature, force, {}, {.tolerance = 1e-9});
    ASSERT_TRUE(result.converged);
    const ReducedForces at = evaluate(cubature, result.solution);
    for (std::size_t i = 0; i < force.size(); ++i) EXPECT_NEAR(at.force[i], force[i], 1e-4);
  }
}

TEST(CubatureInput, WhatDoesNotGoTogetherIsRefused) {
  const Cubature good = rubber(ControlVariate::stiffness);
  const auto refused = [](const ForceModel& model, const BatchOptions& options, const std::string& word) {
    const std::string message = test::message_of([&] { Batch<double> batch({{.force_model = model}}, options); });
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  ForceModel with_chambers(good);
  with_chambers.chambers = {{4, std::vector<double>(static_cast<std::size_t>(cubic_coefficient_count(4)))}};
  refused(with_chambers, {}, "chamber");
  refused(ForceModel(good), {.backend = Backend::cuda}, "'cpu'");
  Batch<double> batch({{.force_model = ForceModel(good)}});
  EXPECT_NE(test::message_of([&] { batch.set_energy(ForceModel(good).energy); }).find("set_force_model"),
            std::string::npos);
  batch.set_force_model(ForceModel(good));
  const BodyGroup beside = {.energy = ForceModel(good).energy, .cubature = good};
  EXPECT_NE(test::message_of([&] { Batch<double> other({beside}); }).find("force_model"), std::string::npos);

  Cubature bad = good;
  bad.weights[3] = -1;
  EXPECT_NE(test::message_of([&] { check_cubature(bad); }).find("point 3"), std::string::npos);
  bad.weights[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(test::message_of([&] { check_cubature(bad); }).find("point 3"), std::string::npos);
  bad = good;
  bad.gradients.pop_back();
  EXPECT_NE(test::message_of([&] { check_cubature(bad); }).find("gradients"), std::string::npos);
  bad = good;
  bad.materials[2].mu = 0;
  EXPECT_NE(test::message_of([&] { check_cubature(bad); }).find("Lame"), std::string::npos);
  bad = good;
  bad.stiffness = Matrix(3, 4);
  EXPECT_NE(test::message_of([&] { check_cubature(bad); }).find("stiffness"), std::string::npos);
  bad = good;
  bad.stiffness.values[1] *= 1 + 1e-9;
  EXPECT_NE(test::message_of([&] { check_cubature(bad); }).find("symmetric"), std::string::npos);
  bad = good;
  bad.tangent = static_cast<LawTangent>(7);
  EXPECT_NE(test::message_of([&] { check_cubature(bad); }).find("LawTangent"), std::string::npos);
}

}  // namespace
}  // namespace quartic
