// The local directions of nodes, as *TRANSFORM turns them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "io/abaqus/abaqus_sets.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

class AbaqusFrames {
 public:
  /// @throws ParseError for a *TRANSFORM whose points make no frame, or of a set that isn't there
  AbaqusFrames(const Deck& deck, const std::vector<AbaqusTransform>& transforms, AbaqusSets& sets,
               const VolumeMesh& mesh);

  /// The unit vector of a node's direction 0, 1 or 2 in global axes.
  [[nodiscard]] std::array<double, 3> direction(std::int64_t node, std::size_t axis) const;

 private:
  const VolumeMesh& mesh_;
  const std::vector<AbaqusTransform>& transforms_;
  std::vector<std::int32_t> transform_of_;  // of each vertex; -1: global axes
};

}  // namespace quartic::io
