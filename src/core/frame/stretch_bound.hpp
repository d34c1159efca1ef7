// How much a linear map stretches at most.
#pragma once

#include <cmath>

#include "core/base/host_device.hpp"

namespace quartic {

/// At least |F|_2, and at most 3.5 % more; exact where F's columns are orthogonal. With M = F^T F, whose largest
/// eigenvalue is |F|_2^2, and s its largest row sum of absolute values: the eigenvalue is at most s, and at most
/// s (tr (M/s)^16)^(1/16). No branch, and no difference of large numbers.
/// @param f shape (9), row by row
template <class T>
[[nodiscard]] QUARTIC_HD inline T stretch_bound(const T* f) {
  T xx = f[0] * f[0] + f[3] * f[3] + f[6] * f[6], yy = f[1] * f[1] + f[4] * f[4] + f[7] * f[7],
    zz = f[2] * f[2] + f[5] * f[5] + f[8] * f[8], xy = f[0] * f[1] + f[3] * f[4] + f[6] * f[7],
    xz = f[0] * f[2] + f[3] * f[5] + f[6] * f[8], yz = f[1] * f[2] + f[4] * f[5] + f[7] * f[8];
  const T ax = xx + std::abs(xy) + std::abs(xz), ay = std::abs(xy) + yy + std::abs(yz),
          az = std::abs(xz) + std::abs(yz) + zz;
  T s = ax > ay ? ax : ay;
  s = s > az ? s : az;
  const T inverse = s > 0 ? 1 / s : T{0};
  xx *= inverse, yy *= inverse, zz *= inverse, xy *= inverse, xz *= inverse, yz *= inverse;
  for (int square = 0; square < 3; ++square) {  // to the eighth power
    const T nxx = xx * xx + xy * xy + xz * xz, nyy = xy * xy + yy * yy + yz * yz, nzz = xz * xz + yz * yz + zz * zz,
            nxy = xx * xy + xy * yy + xz * yz, nxz = xx * xz + xy * yz + xz * zz, nyz = xy * xz + yy * yz + yz * zz;
    xx = nxx, yy = nyy, zz = nzz, xy = nxy, xz = nxz, yz = nyz;
  }
  const T trace = (xx * xx + yy * yy + zz * zz) + 2 * (xy * xy + xz * xz + yz * yz);  // of the sixteenth
  const T root = std::sqrt(std::sqrt(std::sqrt(std::sqrt(trace))));
  return std::sqrt(s * (root < 1 ? root : T{1}));
}

}  // namespace quartic
