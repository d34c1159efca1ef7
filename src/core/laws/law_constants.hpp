// The constants that a material law's formulas take.
#pragma once

#include "core/base/host_device.hpp"
#include "quartic/material.hpp"

namespace quartic {

/// With mu and lambda Lame's, F = I + A, J = det F, x = F : F - 3:
///   psi = shear W(A) + volume / 2 (J - 1)^2 + logarithmic / 2 (x/4 - log(1 + x/4)) + mooney (|cof F|^2 - 3 - 4 (J -
///   1))
/// with W = (x - 2 (J - 1)) / 2 for the laws that have such a form; see laws.hpp for these in their usual ones.
template <class T>
struct LawConstants {
  T lambda, mu;
  T shear, volume, logarithmic, mooney;
};

/// @param share c01 / (c10 + c01) of Mooney-Rivlin
template <class T>
[[nodiscard]] QUARTIC_HD inline LawConstants<T> law_constants(MaterialLaw law, T lambda, T mu, T share) {
  LawConstants<T> k = {lambda, mu, mu, lambda + mu, T(0), T(0)};
  if (law == MaterialLaw::stable_neo_hookean) {
    k.volume = lambda + mu * T(5) / T(6);
    k.logarithmic = mu * T(4) / T(3);
  } else if (law == MaterialLaw::mooney_rivlin) {
    k.mooney = share * mu / T(2);
    k.shear = mu - share * mu;  // 2 c10
    k.volume = lambda + k.shear;
  }
  return k;
}

}  // namespace quartic
