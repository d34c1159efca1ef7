// Tiles of the CPU's steps: the system that a capability may update.
#include "cpu/batch/tile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "cpu/batch/integrators.hpp"
#include "support/sample_energies.hpp"
#include "support/support.hpp"

namespace quartic::cpu {
namespace {

constexpr int rank = 7;

template <class System>
class TileTest : public testing::Test {};
using Systems = testing::Types<LaneSystem<float>, LaneSystem<double>, BodySystem<float>, BodySystem<double>>;
TYPED_TEST_SUITE(TileTest, Systems);

// K + c I.
template <class System>
struct AddedDiagonal final : StiffnessUpdate<System> {
  using T = typename System::Number;
  explicit AddedDiagonal(T value) : c(value) {}
  void add(int size, T* k) const override {
    for (int i = 0; i < size; ++i)
      for (int l = 0; l < System::lanes; ++l) k[System::diagonal_row(size, i) * System::lanes + l] += c;
  }
  T c;
};

// One tile's worth of bodies, and the tile.
template <class System>
struct Sample {
  using T = typename System::Number;
  static constexpr int bodies = System::lanes;

  Sample() {
    arrays.pitch = padded<T>(bodies);
    for (int n = 0; n < 4; ++n) {
      arrays.blocks.emplace_back(rank * arrays.pitch);
      const std::vector<double> numbers = test::random_numbers(static_cast<std::size_t>(rank * arrays.pitch), 3);
      std::transform(numbers.begin(), numbers.end(), arrays.blocks.back().data(),
                     [](double x) { return static_cast<T>(0.3 * x); });
    }
    parameters.rayleigh_mass.assign(bodies, T{0.25});
    parameters.rayleigh_stiffness.assign(bodies, T{0});
    parameters.stiffness_scale.assign(bodies, T{1});
    status.assign(bodies, BodyStatus::ok);
    flags.assign(bodies, BodyFlags::none);
    load();
  }
  void load() { tile.load(*evaluator, terms, arrays, parameters, {0, 0, bodies}, status, flags); }

  std::unique_ptr<Evaluator<System>> evaluator =
      make_evaluator<System>(std::make_shared<ForceModel>(test::random_squares(rank, 1).energy()));
  const Evaluator<System>* evaluators[1] = {evaluator.get()};
  BatchArrays<T> arrays;
  const CoordinateTerms<System> terms{{}, nullptr, 0};
  BodyParameters<T> parameters;
  std::vector<BodyStatus> status;
  std::vector<BodyFlags> flags;
  Tile<System> tile{evaluators};
};

// x <- (K at q + diagonal I)^-1 (1, 1, ...), with the update added to K, if any.
template <class System>
std::vector<double> solve(Sample<System>& sample, typename System::Number diagonal,
                          const StiffnessUpdate<System>* update) {
  using T = typename System::Number;
  Tile<System>& tile = sample.tile;
  sample.load();
  tile.set_stiffness_update(update);
  tile.evaluate(tile.q, tile.h);
  std::fill_n(tile.scale, System::lanes, T{1});
  std::fill_n(tile.diagonal, System::lanes, diagonal);
  std::fill_n(tile.residual, tile.size(), T{1});
  tile.solve(tile.live(), tile.h, tile.residual);
  return {tile.residual, tile.residual + tile.size()};
}

TYPED_TEST(TileTest, AnUpdateOfKEntersTheSystem) {
  using T = typename TypeParam::Number;
  Sample<TypeParam> sample;
  const AddedDiagonal<TypeParam> update(T{1000});
  const std::vector<double> updated = solve(sample, T{500}, &update);
  const std::vector<double> expected = solve<TypeParam>(sample, T{1500}, nullptr);
  const std::vector<double> without = solve<TypeParam>(sample, T{500}, nullptr);
  // Rounding of entries of some 1,000 in a matrix whose condition is about 2.
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_NEAR(updated[n], expected[n], 16 * double{std::numeric_limits<T>::epsilon()} * 1e-3);
    EXPECT_GT(std::abs(without[n] - expected[n]), 1e-5);
  }
}

// What is stepped next in the same workspace knows nothing of it.
TYPED_TEST(TileTest, AnUpdateEndsWithItsTile) {
  using T = typename TypeParam::Number;
  Sample<TypeParam> sample;
  const std::vector<double> expected = solve<TypeParam>(sample, T{500}, nullptr);
  const AddedDiagonal<TypeParam> update(T{1000});
  sample.tile.set_stiffness_update(&update);
  sample.load();
  sample.tile.evaluate(sample.tile.q, sample.tile.h);
  std::fill_n(sample.tile.residual, sample.tile.size(), T{1});
  sample.tile.solve(sample.tile.live(), sample.tile.h, sample.tile.residual);
  EXPECT_EQ(std::vector<double>(sample.tile.residual, sample.tile.residual + sample.tile.size()), expected);
}

// Each solution of a step is one whatever the matrix of its iterations: an update changes the way, not the end.
TYPED_TEST(TileTest, StepsEndWhereTheyDoWithoutAnUpdate) {
  using T = typename TypeParam::Number;
  for (const Integrator integrator : {Integrator::newmark, Integrator::energy_conserving}) {
    Sample<TypeParam> sample;
    const AddedDiagonal<TypeParam> update(T{1000});
    const StepSettings<T> settings = step_settings<T>({.integrator = integrator, .newton_iterations = 40}, 0.01);
    std::vector<std::vector<double>> ends;
    for (const bool updated : {false, true}) {
      sample.load();
      sample.tile.set_stiffness_update(updated ? &update : nullptr);
      if (integrator == Integrator::newmark)
        implicit_step(sample.tile, settings);
      else
        energy_conserving_step(sample.tile, settings);
      ends.emplace_back(sample.tile.next_velocity, sample.tile.next_velocity + sample.tile.size());
    }
    // Velocities of some units.
    for (std::size_t n = 0; n < ends[0].size(); ++n)
      EXPECT_NEAR(ends[1][n], ends[0][n], 64 * double{std::numeric_limits<T>::epsilon()} * 8);
  }
}

}  // namespace
}  // namespace quartic::cpu
