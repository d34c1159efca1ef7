// How warm a body is, and how much its materials expand: what quartic/thermal.hpp computes with.
#pragma once

#include <vector>

namespace quartic {

/// A change of temperature from that at which the body at rest is free of stress.
struct Heating {
  std::vector<double> temperature = {};  ///< T [K]: one number, or one per vertex with the elements' shape functions
  std::vector<double> expansion = {};    ///< alpha [1/K]: one number, or one per region

  [[nodiscard]] bool empty() const { return temperature.empty() && expansion.empty(); }
};

}  // namespace quartic
