// What a body's elements weigh.
#pragma once

#include <optional>

#include "quartic/mesh.hpp"

namespace quartic {

/// Volume times density of all elements [kg], or nothing if a material or an element's volume isn't known.
[[nodiscard]] std::optional<double> solid_mass(const VolumeMesh& mesh);

}  // namespace quartic
