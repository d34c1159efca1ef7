// Materials: isotropic, of one of several hyperelastic laws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quartic/export.hpp"

namespace quartic {

/// How a material's energy depends on the deformation gradient; see quartic/laws.hpp for the formulas. For small
/// strains all are the same, Hooke's.
enum class MaterialLaw : std::uint8_t {
  stvk,                    ///< St. Venant-Kirchhoff: linear in the Green strain; gives way under strong compression
  stable_neo_hookean,      ///< Smith, de Goes & Kim 2018
  neo_hookean_polynomial,  ///< the same without its logarithm: a polynomial of F
  mooney_rivlin,           ///< with (J - 1)^2 for the volume, so that it withstands inversion
  corotational             ///< Hooke's law in the frame of the polar decomposition's rotation
};
inline constexpr int material_law_count = 5;

/// "stvk", "stable-neo-hookean", "neo-hookean-polynomial", "mooney-rivlin" or "corotational"; "unknown" for any other
/// value.
[[nodiscard]] QUARTIC_EXPORT std::string_view material_law_name(MaterialLaw law);
/// The law of this name. @throws InputError that lists the names
[[nodiscard]] QUARTIC_EXPORT MaterialLaw find_material_law(std::string_view name);

/// The numbers of a homogeneous material.
struct Material {
  double youngs_modulus = 0;  ///< E [Pa], > 0
  double poissons_ratio = 0;  ///< nu [-], in (-1, 1/2)
  double density = 0;         ///< rho [kg/m^3], > 0
  MaterialLaw law = MaterialLaw::stvk;
  double mooney_share = 0.3;  ///< c01 / (c10 + c01) of mooney_rivlin, in [0, 1]; ignored by other laws

  friend bool operator==(const Material&, const Material&) = default;
};

/// First Lame constant [Pa]: nu E / ((1 + nu)(1 - 2 nu))  (Barbic & James 2005, eq. 26).
[[nodiscard]] inline double lame_lambda(const Material& m) {
  return m.poissons_ratio * m.youngs_modulus / ((1 + m.poissons_ratio) * (1 - 2 * m.poissons_ratio));
}

/// Second Lame constant (shear modulus) [Pa]: E / (2 (1 + nu))  (Barbic & James 2005, eq. 26).
[[nodiscard]] inline double lame_mu(const Material& m) {
  return m.youngs_modulus / (2 * (1 + m.poissons_ratio));
}

/// The Mooney-Rivlin material of c10 and c01 [Pa], not negative and not both 0, and the bulk modulus [Pa] that programs
/// for nearly incompressible rubber ask for: mu = 2 (c10 + c01). Their energies of J^(-2/3) F can't be computed where
/// an element has no volume; quartic's has the same tangent at rest (quartic/laws.hpp).
/// @throws InputError as check_material, which names `where`
[[nodiscard]] QUARTIC_EXPORT Material mooney_rivlin_material(double c10, double c01, double bulk_modulus,
                                                             double density, const std::string& where);

/// Checks E > 0, rho > 0, -1 < nu < 1/2 and that all three are finite, the law and its share.
/// @throws InputError that names `where` (for example "region 'wing'") and the offending value
QUARTIC_EXPORT void check_material(const Material& material, const std::string& where);

}  // namespace quartic
