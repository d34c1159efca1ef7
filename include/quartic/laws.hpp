// Material laws at a point: energy density, stress and tangent by the deformation gradient.
//
// With I_C = F : F, J = det F, C = F^T F and Lame's constants lambda and mu of the material:
//   stvk                    lambda / 2 tr(E)^2 + mu E : E,  E = (C - I) / 2
//   stable_neo_hookean      m / 2 (I_C - 3) + l / 2 (J - a)^2 - m / 2 log(I_C + 1), less its value at rest, with
//                           m = 4/3 mu, l = lambda + 5/6 mu, a = 1 + 3 m / (4 l)   (Smith, de Goes & Kim 2018, eq. 14)
//   neo_hookean_polynomial  mu / 2 (I_C - 3) - mu (J - 1) + (lambda + mu) / 2 (J - 1)^2
//   mooney_rivlin           c10 (I_C - 3) + c01 (|cof F|^2 - 3) - (2 c10 + 4 c01) (J - 1) + k / 2 (J - 1)^2, with
//                           mu = 2 (c10 + c01), k = lambda + 2 c10
//   corotational            mu |F - R|^2 + lambda / 2 (tr(R^T F) - 3)^2, R the proper rotation of the polar
//   decomposition
// All have Hooke's tangent at rest. All but stvk push an inverted element back; a reflected one of stvk is at rest.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "quartic/export.hpp"
#include "quartic/material.hpp"

namespace quartic {

/// What the tangent is.
enum class LawTangent : std::uint8_t {
  exact,     ///< dP/dF
  projected  ///< without its negative eigenvalues: no derivative of P there, but never indefinite
};

struct LawResponse {
  double energy = 0;                 ///< psi [J/m^3], 0 at rest
  std::array<double, 9> stress{};    ///< first Piola-Kirchhoff P = dpsi/dF [Pa], shape (3, 3), rows first as F
  std::array<double, 81> tangent{};  ///< dP/dF [Pa], shape (3, 3, 3, 3), symmetric as 9 x 9
};

/// A law at one point. Of strains e, stresses have errors of about 1e-16 e: they don't come from differences with 1.
/// @param deformation_gradient F, shape (3, 3), rows first; any, inverted too. Where two singular values of a
/// corotational material sum up to less than 1e-6, its tangent takes them for that
/// @throws InputError for a material that check_material refuses, or an F that isn't finite
[[nodiscard]] QUARTIC_EXPORT LawResponse evaluate_law(const Material& material,
                                                      std::span<const double, 9> deformation_gradient,
                                                      LawTangent tangent = LawTangent::exact);

}  // namespace quartic
