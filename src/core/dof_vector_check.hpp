// The check of displacements and forces from outside.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "quartic/error.hpp"

namespace quartic {

/// @throws InputError unless `vector` has `dofs` finite numbers
inline void require_dof_vector(std::span<const double> vector, std::int64_t dofs, const std::string& name) {
  if (std::ssize(vector) != dofs)
    throw InputError(name + " has " + std::to_string(vector.size()) + " numbers, but the mesh has " +
                     std::to_string(dofs / 3) + " vertices; three numbers per vertex are needed");
  const auto bad = std::find_if(vector.begin(), vector.end(), [](double x) { return !std::isfinite(x); });
  if (bad != vector.end())
    throw InputError(name + " isn't a finite number at vertex " + std::to_string((bad - vector.begin()) / 3));
}

}  // namespace quartic
