// What tells millimetres from metres? Not the size alone: a bracket of 120 mm and a viaduct of 120 m are both usual,
// and steel is steel in both. Densities do. Decks in millimetres, tonnes and seconds (the usual choice of Abaqus, with
// stresses in MPa) have 7.85e-9 for steel and 1e-11 for a foam; in millimetres, kilograms and milliseconds steel is
// 7.85e-6, in millimetres, grams and milliseconds 7.85e-3. In SI no solid is below 0.1 kg/m^3: the lightest aerogels
// have 0.16. So whatever the size, a density below 0.1 isn't in kg/m^3, and a body of 60 m of concrete never gets this
// hint.
//
// Without that sign, because the material is SI or isn't in the file, the size is all there is. Bodies above 100 m that
// somebody meshes whole are few (long bridges, dams), parts of 100 mm many. So the hint names both, and is no warning.
#include "core/mesh/unit_hint.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "core/base/number_text.hpp"
#include "core/elements/element_geometry.hpp"

namespace quartic {
namespace {

constexpr double lightest_solid = 0.1;  // [kg/m^3]

/// Units in which densities of solids lie below some number, and above that of the system before.
struct UnitSystem {
  double below;
  const char* name;
  const char* consequences;
  const char* scales;  // to SI units, beside lengths
};
constexpr UnitSystem unit_systems[] = {
    {1e-7, "millimetres, tonnes and seconds", "frequencies are in Hz, forces in N, and gravity is 9810",
     "Young's modulus by 1e6 and density by 1e12"},
    {5e-5, "millimetres, kilograms and milliseconds", "frequencies are in kHz, forces in kN, and gravity is 0.00981",
     "Young's modulus by 1e9 and density by 1e9"},
    {lightest_solid, "millimetres, grams and milliseconds",
     "frequencies are in kHz, forces in N, and gravity is 0.00981", "Young's modulus by 1e6 and density by 1e6"}};
constexpr double large_body = 100;  // [m]

/// The first region whose density is that of no solid.
const Region* region_in_other_units(const VolumeMesh& mesh) {
  for (const Region& region : mesh.regions)
    if (region.material && region.material->density > 0 && region.material->density < lightest_solid) return &region;
  return nullptr;
}

}  // namespace

std::vector<std::string> unit_hints(const VolumeMesh& mesh) {
  if (const Region* region = region_in_other_units(mesh); region != nullptr) {
    const double density = region->material->density;
    const UnitSystem& units = *std::find_if(std::begin(unit_systems), std::end(unit_systems),
                                            [&](const UnitSystem& system) { return density < system.below; });
    return {"region '" + region->name + "' has the density " + number_text(density, 3) +
            " kg/m^3, less than any solid: it looks like " + units.name + ". If so, lengths are in mm, " +
            units.consequences + "; or scale coordinates by 0.001, " + units.scales + " to have SI units"};
  }
  const std::array<double, 6> box = element_box(mesh);
  const double largest = std::max({box[3] - box[0], box[4] - box[1], box[5] - box[2]});
  if (largest > large_body)
    return {
        "the largest extent is " + number_text(largest, 3) +
        " m: right for a long bridge or a dam; if the file is in millimetres, scale its coordinates by 0.001, since "
        "quartic takes them for metres"};
  return {};
}

}  // namespace quartic
