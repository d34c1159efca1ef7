// What a solid's distance tells.
#pragma once

#include "core/base/host_device.hpp"
#include "core/frame/vector3.hpp"

namespace quartic {

struct NearestOnSolid {
  double gap;                     // signed distance, below 0 inside
  frame::Vector3<double> normal;  // of unit length
};

/// x over its length, or `other` where x is zero.
[[nodiscard]] QUARTIC_HD inline frame::Vector3<double> unit_vector(const frame::Vector3<double>& x, double length,
                                                                   const frame::Vector3<double>& other) {
  return length > 0 ? (1 / length) * x : other;
}

}  // namespace quartic
