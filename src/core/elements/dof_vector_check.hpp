// The check of displacements and forces from outside.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "quartic/error.hpp"

namespace quartic {

/// Allocates nothing where all is well.
/// @throws InputError that begins with `name` unless `size` is `dofs`
inline void require_dof_count(std::size_t size, std::size_t dofs, std::string_view name) {
  if (size != dofs)
    throw InputError(std::string(name) + " has " + std::to_string(size) + " numbers, but the mesh has " +
                     std::to_string(dofs / 3) + " vertices; three numbers per vertex are needed");
}

/// @throws InputError unless `vector` has `dofs` finite numbers
inline void require_dof_vector(std::span<const double> vector, std::int64_t dofs, std::string_view name) {
  require_dof_count(vector.size(), static_cast<std::size_t>(dofs), name);
  const auto bad = std::find_if(vector.begin(), vector.end(), [](double x) { return !std::isfinite(x); });
  if (bad != vector.end())
    throw InputError(std::string(name) + " isn't a finite number at vertex " +
                     std::to_string((bad - vector.begin()) / 3));
}

}  // namespace quartic
