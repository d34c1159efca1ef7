// How loud modes are.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <string>

#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "quartic/sound.hpp"
#include "sound/struck_models.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;

TEST(SoundWeights, AMonopoleHearsChangesOfVolume) {
  // A cube whose modes are fields: rigid motions, and a swelling by 1 on each side, u = X.
  ReducedModel model;
  model.mesh = make_box({.length = 2, .width = 2, .height = 2, .cells_x = 2, .cells_y = 2, .cells_z = 2}).mesh;
  const std::vector<double>& x = model.mesh.vertices;
  model.linear_modes = Matrix(std::ssize(x), 4);
  for (std::size_t v = 0; v < x.size(); v += 3) {
    const auto row = static_cast<std::int64_t>(v);
    model.linear_modes(row, 0) = 1;                                                 // along x
    model.linear_modes(row, 1) = -x[v + 1], model.linear_modes(row + 1, 1) = x[v];  // about z
    model.linear_modes(row + 1, 2) = x[v + 2];                                      // a shear keeps the volume
    for (std::int64_t c = 0; c < 3; ++c) model.linear_modes(row + c, 3) = x[v + static_cast<std::size_t>(c)];
  }
  model.eigenvalues = {1, 1, 1, 1};
  const SoundWeights weights = monopole_weights(model, 2, 1.2);
  EXPECT_EQ(weights.signal, SoundSignal::acceleration);
  const double unit = 1.2 / (4 * std::numbers::pi * 2);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(weights.values[i] / unit, 0, 1e-12);
  EXPECT_NEAR(weights.values[3] / unit, 3 * 8, 1e-12);  // the integral of div u
}

TEST(SoundWeights, RigidModesOfAFreeMeshAreSilent) {
  const VolumeMesh mesh = make_box({.cells_x = 3, .cells_y = 2, .cells_z = 2}).mesh;
  const SparseMatrix mass = mass_matrix(mesh);
  ReducedModel model;
  model.mesh = mesh;
  model.linear_modes = Matrix(3 * mesh.vertex_count(), 6);
  const std::vector<double>& x = mesh.vertices;
  for (std::size_t v = 0; v < x.size(); v += 3)
    for (std::int64_t c = 0; c < 3; ++c) {
      const auto row = static_cast<std::int64_t>(v);
      model.linear_modes(row + c, c) = 1;
      model.linear_modes(row + (c + 1) % 3, 3 + c) = -x[v + static_cast<std::size_t>((c + 2) % 3)];
      model.linear_modes(row + (c + 2) % 3, 3 + c) = x[v + static_cast<std::size_t>((c + 1) % 3)];
    }
  model.eigenvalues.assign(6, 0.0);
  for (const double w : monopole_weights(model).values) EXPECT_NEAR(w, 0, 1e-12);
}

TEST(SoundWeights, APickupIsAComponentOfTheModes) {
  const ReducedModel model = ringing_model({100, 200, 300});
  const SoundWeights weights = pickup_weights(model, 2, {0, 3, 4});
  EXPECT_EQ(weights.signal, SoundSignal::velocity);
  for (std::int64_t i = 0; i < 3; ++i)
    EXPECT_NEAR(weights.values[static_cast<std::size_t>(i)],
                0.6 * model.linear_modes(7, i) + 0.8 * model.linear_modes(8, i), 1e-15);
}

TEST(SoundWeights, FilesHaveALinePerChannel) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    std::ofstream(folder / "w.txt") << text;
    return read_sound_weights(folder / "w.txt", SoundSignal::velocity);
  };
  const SoundWeights weights = read("# left, right\n1, 2 ,3\n\n0.5 0 -1e-3 # end\n");
  EXPECT_EQ(weights.channels, 2);
  EXPECT_EQ(weights.signal, SoundSignal::velocity);
  EXPECT_EQ(weights.values, (std::vector<double>{1, 2, 3, 0.5, 0, -1e-3}));
  for (const char* bad : {"", "1 2\n3\n", "1 nan\n", "1 two\n"}) EXPECT_THROW((void)read(bad), ParseError) << bad;
  EXPECT_THROW((void)read_sound_weights(folder / "none.txt"), FileError);
}

TEST(SoundWeights, WrongOnesAreRefused) {
  const ReducedModel model = ringing_model({100, 200});
  const auto expect = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(message_of([&] { (void)pickup_weights(model, 4, {1, 0, 0}); }), "no vertex 4");
  expect(message_of([&] { (void)pickup_weights(model, 0, {0, 0, 0}); }), "direction");
  expect(message_of([&] { (void)monopole_weights(model, 0); }), "distance");
  expect(message_of([&] { (void)monopole_weights(model, 1, -1); }), "density");
  expect(message_of([&] { (void)stacked({}); }), "no channels");
  const SoundWeights mixed[] = {constant_weights(model), pickup_weights(model, 0, {1, 0, 0})};
  expect(message_of([&] { (void)stacked(mixed); }), "one signal");
}

}  // namespace
}  // namespace quartic
