// The embedded surface in a model file.
#pragma once

#include <vector>

#include "io/model/safetensors.hpp"
#include "io/text/half.hpp"
#include "quartic/model.hpp"

namespace quartic::io {

/// What `append_surface_tensors` computes; must live until the file is written.
struct SurfaceBasisValues {
  std::vector<float> scales;  ///< powers of two, shape (r)
  std::vector<float> single;  ///< shape (r, s, 3), values over their mode's scale
  std::vector<Half> half;     ///< the same
};

/// Tensors of the model's surface, which must be sound; nothing if it has none.
void append_surface_tensors(const ReducedModel& model, SurfaceBasisValues& values, std::vector<TensorView>& tensors);

/// Reads the surface, if the file has one, into a model that has its basis already. @throws ParseError for wrong shapes
/// and numbers that aren't finite; that it fits the mesh is for the caller to check
void read_surface_tensors(const SafetensorsFile& file, ReducedModel& model);

}  // namespace quartic::io
