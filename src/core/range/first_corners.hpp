// Which corners of a mesh's elements are the first to leave the range (quartic/range.hpp) on straight ways from rest.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// A corner of an element; of quadratic types also the vertices in the middle of edges.
struct ElementCorner {
  std::int64_t element = -1;  ///< -1 for none
  std::int32_t corner = 0;
  auto operator<=>(const ElementCorner&) const = default;  // NOLINT(modernize-use-nullptr): of C++'s own making
};

/// Where a way leaves the range: `scale` times its direction.
struct RangeExit {
  double scale = std::numeric_limits<double>::infinity();
  ElementCorner corner = {};
  auto operator<=>(const RangeExit&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// The exits of each way: the first corner that is turned inside out, and the first that is strained too much.
struct WayExits {
  RangeExit inverted, strained;
};

/// Where the displacements s U d leave the range, s > 0, for each column d. Corners that are degenerate at rest are
/// passed over, and so is what happens beyond a displacement gradient of 64.
/// @param directions shape (r, ways)
[[nodiscard]] std::vector<WayExits> first_corners(const VolumeMesh& mesh, MatrixRef basis, MatrixRef directions);

/// du/dX of the basis fields at a corner: entry (3 a + b, i) is that of component a by X_b of field i, shape (9, r).
[[nodiscard]] Eigen::MatrixXd corner_gradients(const VolumeMesh& mesh, MatrixRef basis, const ElementCorner& corner);

}  // namespace quartic
