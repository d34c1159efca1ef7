// The materials that a stage binds to its meshes: UsdPhysics' attributes, and the spellings of Omniverse and Newton.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "io/usd/usda_parser.hpp"
#include "quartic/material.hpp"

namespace quartic::io {

/// True for the properties that this file looks at.
[[nodiscard]] bool is_of_a_usd_material(std::string_view property);

/// True for those of them that say something about a body, and not only how it is drawn.
[[nodiscard]] bool changes_a_usd_material(std::string_view property);

/// What a prim has by itself and from those around it.
struct UsdBindings {
  /// A relationship to a material.
  struct Binding {
    const UsdAttribute* relationship = nullptr;
    std::string owner;       ///< path of the prim that has it
    bool is_strong = false;  ///< prims inside can't replace it
  };
  Binding physics, any;                   ///< for the purpose `physics`, and for all purposes
  const UsdAttribute* density = nullptr;  ///< of the body itself, before its material's
  const UsdAttribute* mass = nullptr;     ///< of the whole body or of its parts
  const UsdAttribute* collection = nullptr;
};

/// The bindings of a prim inside of one with `outer`. @param path of the prim
[[nodiscard]] UsdBindings usd_bindings(const UsdPrim& prim, const std::string& path, const UsdBindings& outer);

class UsdMaterials {
 public:
  using Warn = std::function<void(std::int64_t line, const std::string& what)>;

  /// @param stage must outlive this object
  /// @param meters,kilograms of the stage's units of length and mass
  UsdMaterials(const UsdPrim& stage, double meters, double kilograms, Warn warn)
      : stage_(stage), meters_(meters), kilograms_(kilograms), warn_(std::move(warn)) {}

  /// The material of a mesh, in SI units, or nothing. Warns of what is bound and can't be used.
  /// @param mesh its path
  [[nodiscard]] std::optional<Material> material(const UsdBindings& bindings, const std::string& mesh);

 private:
  [[nodiscard]] const UsdPrim* find_prim(const std::string& path) const;
  void warn_of_body(const UsdBindings& bindings, const std::string& mesh) const;

  const UsdPrim& stage_;
  double meters_, kilograms_;
  Warn warn_;
};

}  // namespace quartic::io
