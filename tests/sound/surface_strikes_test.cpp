// Forces on vertices of an embedded surface: what they do to the vertices of the volume that these hang on.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/sketch.hpp"
#include "quartic/sound.hpp"
#include "sound/struck_models.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;

/// A tetrahedron with a triangle inside: its first vertex hangs on all four corners, the others on three and one.
ReducedModel embedded_model() {
  ReducedModel model = ringing_model({55, 440, 3300});
  model.surface = SurfaceEmbedding{.vertices = {0.25, 0.125, 0.125, 0.5, 0.25, 0, 0, 0, 1},
                                   .triangles = {0, 1, 2},
                                   .width = 4,
                                   .volume_vertices = {0, 1, 2, 3, 0, 1, 2, 0, 3, 0, 0, 0},
                                   .weights = {0.5, 0.25, 0.125, 0.125, 0.25, 0.5, 0.25, 0, 1, 0, 0, 0}};
  return model;
}

/// The same force as forces on the volume's vertices.
std::vector<Strike> spread(const ReducedModel& model, const Strike& strike) {
  std::vector<double> forces(model.surface->vertices.size());
  for (std::size_t c = 0; c < 3; ++c) forces[3 * static_cast<std::size_t>(strike.vertex) + c] = strike.impulse[c];
  const std::vector<double> moved = volume_forces(*model.surface, forces, model.mesh.vertex_count());
  std::vector<Strike> result;
  for (std::int64_t v = 0; v < model.mesh.vertex_count(); ++v) {
    Strike part = strike;
    part.vertex = v, part.vertex_of = VertexOf::mesh;
    for (std::size_t c = 0; c < 3; ++c) part.impulse[c] = moved[3 * static_cast<std::size_t>(v) + c];
    result.push_back(part);
  }
  return result;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0, scale = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    difference = std::max(difference, std::abs(double{a[n]} - double{b[n]}));
    scale = std::max(scale, std::abs(double{b[n]}));
  }
  EXPECT_GT(scale, 0);
  return difference / scale;
}

TEST(SurfaceStrikes, AreSpreadOverTheVolume) {
  const ReducedModel model = embedded_model();
  const SoundWeights weights = constant_weights(model);
  for (std::int64_t vertex = 0; vertex < 3; ++vertex)
    for (const double length : {0.0, 0.0013}) {
      const Strike strike{.vertex = vertex,
                          .impulse = {1, -2, 3},
                          .time = 0.0011,
                          .length = length,
                          .gain = 2,
                          .vertex_of = VertexOf::surface};
      const Sound sound = render_sound(model, {&strike, 1}, 0.05, weights);
      const Sound expected = render_sound(model, spread(model, strike), 0.05, weights);
      EXPECT_LE(largest_difference(sound.samples, expected.samples), 2e-7);
    }
}

TEST(SurfaceStrikes, InputsRecordingsAndPickupsKnowTheSurface) {
  const ReducedModel model = embedded_model();
  const SoundWeights weights = pickup_weights(model, 0, {0, 3, 4}, VertexOf::surface);
  const Matrix rows = surface_basis(*model.surface, model.linear_modes.map());
  for (std::int64_t i = 0; i < 3; ++i)
    EXPECT_NEAR(weights.values[static_cast<std::size_t>(i)], 0.6 * rows(1, i) + 0.8 * rows(2, i), 1e-15);

  const std::vector<RecordedLoad> on_surface = {{0, {{.vertex = 1, .force = {1, 2, 3}}}},
                                                {0.01, {{.vertex = 1, .force = {-4, 0, 1}}}}};
  std::vector<RecordedLoad> on_mesh;
  for (const RecordedLoad& load : on_surface) {
    on_mesh.push_back({load.time, {}});
    const std::pair<std::int32_t, double> shares[] = {{0, 0.25}, {1, 0.5}, {2, 0.25}};
    for (const auto& [vertex, share] : shares) {
      VertexForce force{.vertex = vertex, .force = load.forces[0].force};
      for (double& x : force.force) x *= share;
      on_mesh.back().forces.push_back(force);
    }
  }
  const Sound sound = render_sound(model, {}, 0.02, weights, {}, on_surface, VertexOf::surface);
  const Sound expected = render_sound(model, {}, 0.02, weights, {}, on_mesh);
  EXPECT_LE(largest_difference(sound.samples, expected.samples), 2e-7);
}

TEST(SurfaceStrikes, WrongVerticesAreRefused) {
  const ReducedModel model = embedded_model();
  const auto expect = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  SoundStream<float> stream(model, constant_weights(model));
  stream.strike({.vertex = 3});  // of the mesh
  expect(message_of([&] { stream.strike({.vertex = 3, .vertex_of = VertexOf::surface}); }), "surface has 3");
  expect(message_of([&] { stream.strike({.vertex = -1, .vertex_of = VertexOf::surface}); }), "no vertex -1");
  expect(message_of([&] { stream.add_input(3, {1, 0, 0}, VertexOf::surface); }), "surface has 3");
  expect(message_of([&] { (void)pickup_weights(model, 3, {1, 0, 0}, VertexOf::surface); }), "surface has 3");
  const ReducedModel bare = ringing_model({100});
  SoundStream<float> other(bare, constant_weights(bare));
  expect(message_of([&] { other.strike({.vertex_of = VertexOf::surface}); }), "no embedded surface");
  expect(message_of([&] { (void)pickup_weights(bare, 0, {1, 0, 0}, VertexOf::surface); }), "no embedded surface");
  ReducedModel damaged = model;
  damaged.surface->volume_vertices[2] = 4;
  expect(message_of([&] { const SoundStream<float> of(damaged, constant_weights(damaged)); }), "damaged");
}

}  // namespace
}  // namespace quartic
