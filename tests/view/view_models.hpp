// Models for tests of the viewer.
#pragma once

#include <vector>

#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/support.hpp"
#include "view/session/view_surface.hpp"

namespace quartic::test {

/// A beam of bricks, held at one end, whose materials can be edited; its rank is odd, so that a word of two modes is
/// filled up.
inline const ReducedModel& beam_model() {
  static const ReducedModel model = [] {
    const ProceduralMesh beam = make_beam(8);
    return reduce(beam.mesh, beam.fixed_vertices, {.modes = 4, .rank = 7, .region_parts = true});
  }();
  return model;
}

inline const view::ViewSurface& beam_surface() {
  static const view::ViewSurface surface = view::view_surface(beam_model());
  return surface;
}

/// The same beam, held nowhere, of two regions whose densities can be edited by different factors.
inline const ReducedModel& free_beam_model() {
  static const ReducedModel model = [] {
    ProceduralMesh beam = make_beam(8);
    VolumeMesh& mesh = beam.mesh;
    mesh.regions.resize(2, mesh.regions.front());
    for (std::size_t e = 0; e < mesh.element_region.size() / 2; ++e) mesh.element_region[e] = 1;
    return reduce(mesh, {}, {.modes = 4, .rank = 7, .region_parts = true});
  }();
  return model;
}

/// Coordinates that move the beam visibly, shape (bodies, r).
inline std::vector<float> some_coordinates(const ReducedModel& model, int bodies) {
  std::vector<float> q;
  double largest = 0;
  for (const double x : model.basis.values) largest = std::max(largest, std::abs(x));
  for (const double x : random_numbers(static_cast<std::size_t>(bodies * model.rank()), 5))
    q.push_back(static_cast<float>(0.05 * x / largest));
  return q;
}

}  // namespace quartic::test
