// The surface that stands for a body where it is drawn or touched.
#pragma once

#include "quartic/model.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic {

/// The one that is embedded in the model, or else the boundary of its mesh.
[[nodiscard]] inline SurfaceEmbedding drawn_surface(const ReducedModel& model) {
  return model.surface ? *model.surface : boundary_surface(model.mesh);
}

}  // namespace quartic
