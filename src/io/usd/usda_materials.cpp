// OpenUSD, UsdShadeMaterialBindingAPI ("Material resolution") and UsdPhysics (units); the OpenUSD proposal "Deformable
// Body Physics"; Omniverse's OmniPhysicsDeformableMaterialAPI and, older, PhysxDeformableBodyMaterialAPI; Newton's
// NewtonMPMMaterialAPI.
#include "io/usd/usda_materials.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

// The first one that has a value counts.
constexpr std::string_view namespaces[] = {
    "physics", "omniphysics", "physxDeformableBodyMaterial", "physxDeformableBody", "newton:mpm", "newton"};
constexpr std::string_view constants[] = {"youngsModulus", "poissonsRatio", "density"};
constexpr std::string_view binding = "material:binding", physics_binding = "material:binding:physics",
                           collection_binding = "material:binding:collection";

/// The name behind the last colon.
std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind(':') + 1);
}

std::string_view namespace_of(std::string_view name) {
  return name.substr(0, std::min(name.rfind(':'), name.size()));
}

/// A value that is given: 0 and -inf stand for none, but in Poisson's ratio, where 0 is a value.
std::optional<double> given(const UsdAttribute* attribute) {
  if (attribute == nullptr || !attribute->value.words.empty() || attribute->value.numbers.size() != 1)
    return std::nullopt;
  const double value = attribute->value.numbers.front();
  if (value > 0 || last_part(attribute->name) == "poissonsRatio") return value;
  return std::nullopt;
}

const UsdAttribute* find_given(const UsdPrim& prim, std::string_view name) {
  for (const std::string_view space : namespaces) {
    const UsdAttribute* found = prim.find_attribute(std::string(space) + ":" + std::string(name));
    if (given(found)) return found;
  }
  return nullptr;
}

std::optional<double> constant(const UsdPrim& material, std::string_view name) {
  return given(find_given(material, name));
}

void bind(UsdBindings::Binding& bound, const UsdPrim& prim, const std::string& path, std::string_view name) {
  const UsdAttribute* relationship = prim.find_attribute(name);
  if (relationship == nullptr || relationship->value.words.empty() || bound.is_strong) return;
  bool is_strong = false;
  for (const UsdMetadata& entry : relationship->metadata)
    is_strong = is_strong || (entry.key == "bindMaterialAs" &&
                              entry.value.words == std::vector<std::string>{"strongerThanDescendants"});
  bound = {relationship, path, is_strong};
}

/// An absolute path without angle brackets: relative ones start at the prim that has them.
std::string absolute(std::string_view target, std::string owner) {
  if (target.starts_with('<')) target.remove_prefix(1);
  if (target.ends_with('>')) target.remove_suffix(1);
  if (target.starts_with('/')) return std::string(target);
  while (target.starts_with("..")) {
    owner.resize(std::min(owner.rfind('/'), owner.size()));
    target.remove_prefix(target.starts_with("../") ? 3 : 2);
  }
  return owner + "/" + std::string(target);
}

/// Attributes of other programs that look like the constants.
std::string others_of(const UsdPrim& material) {
  std::string names;
  for (const UsdAttribute& attribute : material.attributes)
    if (contains(constants, last_part(attribute.name)) && !contains(namespaces, namespace_of(attribute.name)) &&
        !attribute.name.starts_with("inputs:"))
      names += (names.empty() ? "" : ", ") + attribute.name;
  return names;
}

}  // namespace

bool is_of_a_usd_material(std::string_view property) {
  const std::string_view last = last_part(property);
  return property.starts_with(binding) ||
         (last != property && (contains(constants, last) || last == "mass" || last == "masses"));
}

bool changes_a_usd_material(std::string_view property) {
  return property.starts_with(physics_binding) ||
         (is_of_a_usd_material(property) && contains(namespaces, namespace_of(property)));
}

UsdBindings usd_bindings(const UsdPrim& prim, const std::string& path, const UsdBindings& outer) {
  UsdBindings bindings = outer;
  bind(bindings.physics, prim, path, physics_binding);
  bind(bindings.any, prim, path, binding);
  if (const UsdAttribute* density = find_given(prim, "density")) bindings.density = density;
  if (const UsdAttribute* mass = find_given(prim, "mass")) bindings.mass = mass;
  if (const UsdAttribute* masses = prim.find_attribute("physics:masses");
      masses != nullptr && !masses->value.numbers.empty())
    bindings.mass = masses;
  for (const UsdAttribute& attribute : prim.attributes)
    if (attribute.name.starts_with(collection_binding)) bindings.collection = &attribute;
  return bindings;
}

const UsdPrim* UsdMaterials::find_prim(const std::string& path) const {
  const UsdPrim* prim = &stage_;
  std::string_view rest = path;
  while (!rest.empty() && prim != nullptr) {
    rest.remove_prefix(1);  // the slash
    const std::string_view name = rest.substr(0, rest.find('/'));
    rest.remove_prefix(name.size());
    const auto child = std::find_if(prim->children.begin(), prim->children.end(), [&](const UsdPrim& one) {
      return one.name == name && one.specifier == UsdSpecifier::define;
    });
    prim = child == prim->children.end() ? nullptr : &*child;
  }
  return prim;
}

void UsdMaterials::warn_of_body(const UsdBindings& bindings, const std::string& mesh) const {
  if (bindings.mass != nullptr)
    warn_(bindings.mass->line, "TetMesh <" + mesh + "> has a mass of its own (" + bindings.mass->name +
                                   "), which isn't read; its mass is volume times density");
}

std::optional<Material> UsdMaterials::material(const UsdBindings& bindings, const std::string& mesh) {
  warn_of_body(bindings, mesh);
  const bool is_physics = bindings.physics.relationship != nullptr;
  const UsdBindings::Binding& bound = is_physics ? bindings.physics : bindings.any;
  if (bound.relationship == nullptr) {
    if (bindings.collection != nullptr)
      warn_(bindings.collection->line,
            "materials are bound to a collection, which isn't read; bind one to TetMesh <" + mesh + "> itself");
    return std::nullopt;
  }
  const std::string path = absolute(bound.relationship->value.words.front(), bound.owner);
  const UsdPrim* prim = find_prim(path);
  if (prim == nullptr) {
    if (is_physics)
      warn_(bound.relationship->line,
            "TetMesh <" + mesh + "> is bound to <" + path + ">, which the stage doesn't have; it has no material");
    return std::nullopt;
  }
  const auto youngs_modulus = constant(*prim, constants[0]), poissons_ratio = constant(*prim, constants[1]);
  const auto density = bindings.density != nullptr ? given(bindings.density) : constant(*prim, constants[2]);
  if (youngs_modulus && poissons_ratio && density)
    return Material{.youngs_modulus = *youngs_modulus * kilograms_ / meters_,
                    .poissons_ratio = *poissons_ratio,
                    .density = *density * kilograms_ / (meters_ * meters_ * meters_)};
  const std::string others = others_of(*prim);
  if (!is_physics && !youngs_modulus && !poissons_ratio && others.empty()) return std::nullopt;  // for rendering
  std::string missing;
  for (const auto& [value, name] :
       {std::pair{&youngs_modulus, constants[0]}, {&poissons_ratio, constants[1]}, {&density, constants[2]}})
    if (!*value) missing += (missing.empty() ? "" : ", ") + std::string(name);
  warn_(prim->line, "material <" + path + "> gives no " + missing + ", so TetMesh <" + mesh + "> has no material" +
                        (others.empty() ? "" : "; " + others + " isn't read"));
  return std::nullopt;
}

}  // namespace quartic::io
