// St. Venant-Kirchhoff material: isotropic, linear in the Green strain.
#pragma once

#include <string>

#include "quartic/export.hpp"

namespace quartic {

/// The three numbers of a homogeneous StVK material.
struct Material {
  double youngs_modulus = 0;  ///< E [Pa], > 0
  double poissons_ratio = 0;  ///< nu [-], in (-1, 1/2)
  double density = 0;         ///< rho [kg/m^3], > 0
};

/// First Lame constant [Pa]: nu E / ((1 + nu)(1 - 2 nu))  (Barbic & James 2005, eq. 26).
[[nodiscard]] inline double lame_lambda(const Material& m) {
  return m.poissons_ratio * m.youngs_modulus / ((1 + m.poissons_ratio) * (1 - 2 * m.poissons_ratio));
}

/// Second Lame constant (shear modulus) [Pa]: E / (2 (1 + nu))  (Barbic & James 2005, eq. 26).
[[nodiscard]] inline double lame_mu(const Material& m) {
  return m.youngs_modulus / (2 * (1 + m.poissons_ratio));
}

/// Checks E > 0, rho > 0, -1 < nu < 1/2 and that all three are finite.
/// @throws InputError that names `where` (for example "region 'wing'") and the offending value
QUARTIC_EXPORT void check_material(const Material& material, const std::string& where);

}  // namespace quartic
