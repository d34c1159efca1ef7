// Where a model has contact points that are known by triangle and barycentric coordinates.
#pragma once

#include "quartic/bound_tree.hpp"
#include "quartic/model.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic {

/// Fills in positions and fields, by the same operations whenever they are asked for.
/// @param surface the one that the model is drawn by
/// @throws InputError for a model without a basis, or a triangle that the surface doesn't have
void place_points(const SurfaceEmbedding& surface, const ReducedModel& model, ContactPoints& points);

}  // namespace quartic
