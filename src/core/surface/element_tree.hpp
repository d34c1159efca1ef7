// The elements of a mesh in a tree of boxes, for finding those around or near a point.
#pragma once

#include <cstdint>
#include <vector>

#include "core/surface/box_tree.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// An element of a mesh: which block, and which of its elements.
struct MeshElement {
  std::int32_t block = 0;
  std::int64_t element = 0;

  [[nodiscard]] bool operator<(const MeshElement& other) const {
    return block != other.block ? block < other.block : element < other.element;
  }
};

/// The tree depends on the mesh alone.
class ElementTree {
 public:
  /// The mesh needs elements, and indices in range.
  explicit ElementTree(const VolumeMesh& mesh);

  /// Calls `visit(place)` for every element whose box holds the point.
  template <class Visit>
  void for_each_around(const Point3& x, const Visit& visit) const {
    tree_.for_each_around(x, [&](std::size_t number) { visit(places_[number]); });
  }

  /// Calls `squared_distance(place)` for elements that may be as near as the nearest so far, which the calls return.
  template <class Distance>
  void for_each_near(const Point3& x, const Distance& squared_distance) const {
    tree_.for_each_near(x, [&](std::size_t number) { return squared_distance(places_[number]); });
  }

 private:
  std::vector<MeshElement> places_;  // by number
  BoxTree tree_;
};

}  // namespace quartic
