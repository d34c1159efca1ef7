// Mirror planes of a body, with the vertices that they exchange.
#pragma once

#include <cstdint>
#include <vector>

#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"
#include "quartic/supports.hpp"
#include "quartic/symmetry.hpp"

namespace quartic {

struct Mirror {
  MirrorPlane plane;
  std::vector<std::int32_t> image;  // of each vertex
};

/// As mirror_planes.
[[nodiscard]] std::vector<Mirror> find_mirrors(const VolumeMesh& mesh, const Supports& supports);

/// Displacement fields of the mirrored body, shape as `fields`, (3n, N).
[[nodiscard]] Matrix mirrored(const Mirror& mirror, MatrixRef fields);

}  // namespace quartic
