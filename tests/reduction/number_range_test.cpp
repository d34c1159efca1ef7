// Numbers of any magnitude on their way through all stages: similar bodies stay similar, what double precision can't
// carry is refused, and nothing ends in a crash or in numbers that aren't finite.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "quartic/statics.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

ProceduralMesh small_box(ElementType type = ElementType::hex8) {
  return make_box({.length = 1, .width = 0.5, .height = 0.25, .cells_x = 3, .cells_y = 2, .cells_z = 1, .type = type});
}

/// The body with every length, Young's modulus and density multiplied.
ProceduralMesh scaled(ProceduralMesh body, double length, double stiffness, double density) {
  for (double& x : body.mesh.vertices) x *= length;
  Material& material = *body.mesh.regions[0].material;
  material.youngs_modulus *= stiffness;
  material.density *= density;
  return body;
}

ReducedModel reduced(const ProceduralMesh& body) {
  return reduce(body.mesh, body.fixed_vertices, {.modes = 4, .rank = 5});
}

// By dimensional analysis lambda ~ E / (rho L^2), and the quartic coefficients of mass-orthonormal coordinates ~
// E / (rho^2 L^7). Factors are powers of two, which round nothing.
TEST(NumberRange, SimilarBodiesHaveSimilarModels) {
  const ReducedModel one = reduced(small_box());
  const std::array<std::array<int, 3>, 5> powers = {
      {{-36, 0, 0}, {36, 0, 0}, {-30, 60, 20}, {20, -90, 40}, {0, 90, 90}}};
  for (const auto& [length, stiffness, density] : powers) {
    const ReducedModel other =
        reduced(scaled(small_box(), std::exp2(length), std::exp2(stiffness), std::exp2(density)));
    for (std::size_t i = 0; i < one.eigenvalues.size(); ++i)
      EXPECT_NEAR(other.eigenvalues[i] / std::exp2(stiffness - density - 2 * length) / one.eigenvalues[i], 1, 1e-10)
          << "length 2^" << length;
    double largest = 0, ratio = 0;  // of the largest coefficients of degree four, the last ones' block
    const auto& a = one.energy.coefficients;
    const auto& b = other.energy.coefficients;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t n = a.size() / 2; n < a.size(); ++n)
      if (std::abs(a[n]) > largest) largest = std::abs(a[n]), ratio = std::abs(b[n] / a[n]);
    EXPECT_NEAR(ratio / std::exp2(stiffness - 2 * density - 7 * length), 1, 1e-7) << "length 2^" << length;
  }
}

void expect_out_of_range(const ProceduralMesh& body, const std::string& what) {
  const std::vector<double> force(body.mesh.vertices.size(), 1.0);
  const auto refused = [&](const auto& work) {
    try {
      work();
      ADD_FAILURE() << what << ": nothing is thrown";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("out of range"), std::string::npos) << error.what();
    }
  };
  refused([&] { static_cast<void>(reduced(body)); });
  refused([&] { static_cast<void>(ElasticSystem(body.mesh, body.fixed_vertices)); });
  refused([&] { static_cast<void>(StaticSolver(body.mesh, body.fixed_vertices)); });
  refused([&] { static_cast<void>(mass_matrix(body.mesh, MassMatrix::consistent)); });
}

TEST(NumberRange, WhatDoublesCantCarryIsRefused) {
  expect_out_of_range(scaled(small_box(), 1e-61, 1, 1), "tiny");
  expect_out_of_range(scaled(small_box(), 1e61, 1, 1), "huge");
  expect_out_of_range(scaled(small_box(), 1e300, 1, 1), "at the end of the range");
  expect_out_of_range(scaled(small_box(), 1, 1e200, 1), "stiff");
  expect_out_of_range(scaled(small_box(), 1, 1, 1e-200), "light");
}

// A region beyond the range is named, whatever the others are.
TEST(NumberRange, TheMessageNamesTheRegion) {
  ProceduralMesh body = small_box();
  body.mesh.regions.push_back({"feather", Material{1e7, 0.3, 1e-200}});
  body.mesh.element_region.back() = 1;
  try {
    static_cast<void>(reduced(body));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'feather'"), std::string::npos) << error.what();
  }
}

TEST(NumberRange, MatricesOfTheCallersOwnAreAskedToo) {
  const ProceduralMesh body = small_box();
  SparseMatrix k = stiffness_matrix(body.mesh), m = mass_matrix(body.mesh, MassMatrix::consistent);
  for (double& x : m.values) x *= 1e-200;
  EXPECT_THROW(ElasticSystem(k, m, body.fixed_vertices), InputError);
  for (double& x : m.values) x = 0;
  EXPECT_THROW(ElasticSystem(k, m, body.fixed_vertices), InputError);
  m = mass_matrix(body.mesh, MassMatrix::consistent);
  k.values.back() = std::nan("");
  EXPECT_THROW(ElasticSystem(k, m, body.fixed_vertices), InputError);
}

/// Bodies, loads and steps of any numbers.
class AnyNumbers {
 public:
  explicit AnyNumbers(unsigned seed) : engine_(seed) {}

  ProceduralMesh body() {
    constexpr std::array<ElementType, 3> types = {ElementType::hex8, ElementType::tet4, ElementType::tet10};
    ProceduralMesh body = small_box(types[pick(3)]);
    auto& x = body.mesh.vertices;
    const std::array<double, 3> scale = pick(3) == 0 ? std::array{factor(), factor(), factor()} : same(factor());
    for (std::size_t n = 0; n < x.size(); ++n) x[n] *= scale[n % 3];
    const std::size_t vertices = x.size() / 3;
    switch (pick(6)) {
      case 0:
        std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(3 * pick(vertices)), 3, number());
        break;
      case 1:
        std::copy_n(x.begin(), 3, x.begin() + static_cast<std::ptrdiff_t>(3 * pick(vertices)));
        break;
      case 2:  // a plane
        for (std::size_t v = 0; v < vertices; ++v) x[3 * v + 2] = 0;
        break;
      case 3:  // a line
        for (std::size_t v = 0; v < vertices; ++v) x[3 * v + 1] = x[3 * v + 2] = x[3 * v];
        break;
      default:
        break;
    }
    constexpr std::array<double, 6> ratios = {0.3, 0, -0.999999, 0.4999999999, 0.49999999999999994, 0.45};
    *body.mesh.regions[0].material = {1e7 * factor(), ratios[pick(6)], 1e3 * factor()};
    if (pick(4) == 0) body.fixed_vertices.clear();
    return body;
  }

  /// 1, a power of ten from 1e-300 to 1e300, zero, or denormal.
  double factor() {
    switch (pick(20)) {
      case 0:
        return 0;
      case 1:
        return 5e-324;
      case 2:
        return std::pow(10.0, static_cast<double>(pick(601)) - 300);
      case 3:
      case 4:
        return std::pow(10.0, static_cast<double>(pick(61)) - 30);
      default:
        return 1;
    }
  }
  double number() { return (static_cast<double>(engine_() >> 11) * 0x1p-52 - 1) * factor(); }
  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }

 private:
  static std::array<double, 3> same(double x) { return {x, x, x}; }
  std::mt19937_64 engine_;
};

template <class Numbers>
bool all_finite(const Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](auto x) { return std::isfinite(x); });
}

/// Whether it was done; what is thrown must be one of quartic's own errors.
template <class Work>
bool done(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error&) {
    return false;
  }
}

template <class T>
void step(const ReducedModel& model, AnyNumbers& any) {
  constexpr std::array<Integrator, 4> integrators = {Integrator::newmark, Integrator::backward_euler,
                                                     Integrator::central_differences, Integrator::energy_conserving};
  done([&] {
    Batch<T> batch(model.energy, {.bodies = 2,
                                  .integrator = integrators[any.pick(4)],
                                  .rayleigh_mass = std::abs(any.number()),
                                  .rayleigh_stiffness = std::abs(any.number())});
    for (int i = 0; i < batch.rank(); ++i) batch.force()(i, 0) = static_cast<T>(any.number());
    batch.step(std::abs(any.number()), 3);
    for (int body = 0; body < 2; ++body)
      for (int i = 0; i < batch.rank(); ++i)
        EXPECT_TRUE(std::isfinite(batch.q()(i, body)) && std::isfinite(batch.velocity()(i, body)));
  });
}

// @return whether the body could be reduced
bool all_stages(unsigned seed) {
  SCOPED_TRACE(seed);
  AnyNumbers any(seed);
  const ProceduralMesh body = any.body();
  static_cast<void>(check_mesh(body.mesh));
  done([&] {
    std::vector<double> force(body.mesh.vertices.size());
    for (double& f : force) f = any.number();
    EXPECT_TRUE(all_finite(StaticSolver(body.mesh, body.fixed_vertices).solve(force).solution));
  });
  ReducedModel model;
  const bool reduced = done([&] {
    model = reduce(body.mesh, body.fixed_vertices, {.modes = 3, .rank = 4, .region_parts = any.pick(2) == 0});
    EXPECT_TRUE(all_finite(model.eigenvalues) && all_finite(model.basis.values) &&
                all_finite(model.linear_modes.values) && all_finite(model.unit_acceleration.values) &&
                all_finite(model.energy.coefficients));
  });
  if (!reduced) return false;
  const test::TemporaryFolder folder;
  save_model(model, folder / "any.qrt");
  EXPECT_EQ(load_model(folder / "any.qrt").energy.coefficients, model.energy.coefficients);
  step<double>(model, any);
  step<float>(model, any);
  return true;
}

void try_all(unsigned first, unsigned count) {
  unsigned reduced = 0;
  for (unsigned seed = first; seed < first + count; ++seed) reduced += all_stages(seed) ? 1 : 0;
  EXPECT_GT(reduced, count / 10) << "most of the ways through the stages aren't tried";
}

TEST(NumberRange, AnyNumbersEndInAnErrorOrInNumbers) {
  try_all(0, 150);
}

// A night's worth where QUARTIC_FUZZ_NUMBERS says how many.
TEST(NumberRangeSlow, AnyNumbersEndInAnErrorOrInNumbers) {
  const char* count = std::getenv("QUARTIC_FUZZ_NUMBERS");
  try_all(1'000'000, count == nullptr ? 500 : static_cast<unsigned>(std::stoul(count)));
}

}  // namespace
}  // namespace quartic
