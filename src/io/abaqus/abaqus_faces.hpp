// Faces of a deck's elements that loads act on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/elements/element_geometry.hpp"
#include "core/mesh/boundary.hpp"
#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

class AbaqusFaces {
 public:
  /// All must outlive this object.
  AbaqusFaces(const PlacedDeck& deck, AbaqusSets& sets, const VolumeMesh& mesh)
      : deck_(deck), sets_(sets), mesh_(mesh) {}

  /// The face of an element that decks call P1, S1, ..., wound outwards, also where the element is inverted. Nothing if
  /// it has none of that number, or is no solid.
  [[nodiscard]] std::optional<BoundaryFace> face(std::int64_t element, std::int64_t number);

  /// The faces of a surface: those that it names, and the body's boundary at elements without a face's name.
  /// @return nothing where it isn't of solids' faces, or not defined outside of parts
  /// @throws ParseError for a face that isn't there
  [[nodiscard]] std::vector<BoundaryFace> of_surface(const std::string& name);

 private:
  [[nodiscard]] BoundaryFace outwards(std::int64_t element, ElementType type, const std::vector<int>& local);
  [[nodiscard]] const ElementRuler& ruler(ElementType type);

  const PlacedDeck& deck_;
  AbaqusSets& sets_;
  const VolumeMesh& mesh_;
  std::map<ElementType, ElementRuler> rulers_;
};

}  // namespace quartic::io
