// What a haptic ball touches in tests.
#pragma once

#include <memory>

#include "quartic/bound_tree.hpp"
#include "quartic/haptic.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace quartic::test {

inline constexpr HapticOptions usual = {.radius = 0.05, .stiffness = 400, .device_damping = 0.5};

/// A beam of 1 x 0.1 x 0.1 m that is held at x = 0.
inline const ReducedModel& soft_beam() {
  static const ReducedModel model = [] {
    const ProceduralMesh beam = make_box({.length = 1,
                                          .width = 0.1,
                                          .height = 0.1,
                                          .cells_x = 10,
                                          .cells_y = 1,
                                          .cells_z = 1,
                                          .material = {.youngs_modulus = 1e6, .density = 1000}});
    return reduce(beam.mesh, beam.fixed_vertices, {.modes = 3, .rank = 6});
  }();
  return model;
}

inline std::shared_ptr<World<double>> beam_world(double contact_stiffness = 1e7, double friction = 0) {
  const auto tree = std::make_shared<const BoundTree>(bound_tree(soft_beam(), {.spacing = 0.02}));
  Batch<double> batch(
      soft_beam().energy,
      {.integrator = Integrator::backward_euler, .rayleigh_mass = 10, .rayleigh_stiffness = 1e-3, .threads = 1});
  return std::make_shared<World<double>>(std::move(batch), std::vector{tree},
                                         ContactOptions{.stiffness = contact_stiffness, .friction = friction});
}

/// Over the beam's end, the ball's lowest point in the height z.
inline std::array<double, 3> over_the_end(double z, double radius) {
  return {0.9, 0.05, z + radius};
}

}  // namespace quartic::test
