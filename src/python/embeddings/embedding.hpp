// Between reduced coordinates and chosen vertices of a body.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "python/embeddings/device_embedding.hpp"
#include "python/shared.hpp"

namespace quartic::python {

/// The rows of a basis that belong to chosen points, and where these are at rest. Doesn't change once it is made.
struct Embedding {
  Matrix basis;                                           // shape (3v, r)
  std::vector<double> rest;                               // shape (v, 3)
  std::vector<std::int32_t> triangles;                    // shape (t, 3), of a surface
  std::optional<FrameMoments> frame = {};                 // of a body that nothing holds
  std::shared_ptr<const DeviceEmbedding> on_device = {};  // null on the CPU

  [[nodiscard]] std::int64_t points() const { return basis.rows / 3; }
};

/// The model's vertices, or some of them.
[[nodiscard]] Embedding vertex_embedding(const ReducedModel& model, const std::vector<std::int32_t>* vertices);

/// The surface that a model draws: the embedded one, or else its boundary.
[[nodiscard]] Embedding surface_embedding(const ReducedModel& model);

}  // namespace quartic::python
