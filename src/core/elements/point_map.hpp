// The map from the reference element at a quadrature point: what it does to volumes and to gradients.
#pragma once

#include "core/base/host_device.hpp"

namespace quartic {

struct PointMap {
  double cofactor[3][3];  ///< of the Jacobian J_cd = dX_c / dxi_d
  double determinant;

  /// Component c of a shape function's gradient by rest position, J^-T times that by reference coordinate.
  [[nodiscard]] QUARTIC_HD double gradient(int c, const double* reference) const {
    return (cofactor[c][0] * reference[0] + cofactor[c][1] * reference[1] + cofactor[c][2] * reference[2]) /
           determinant;
  }
};

[[nodiscard]] QUARTIC_HD inline PointMap point_map(const double (&jacobian)[3][3]) {
  PointMap map;
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 3; ++d) {
      const int c1 = (c + 1) % 3, c2 = (c + 2) % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
      map.cofactor[c][d] = jacobian[c1][d1] * jacobian[c2][d2] - jacobian[c1][d2] * jacobian[c2][d1];
    }
  map.determinant =
      jacobian[0][0] * map.cofactor[0][0] + jacobian[0][1] * map.cofactor[0][1] + jacobian[0][2] * map.cofactor[0][2];
  return map;
}

}  // namespace quartic
