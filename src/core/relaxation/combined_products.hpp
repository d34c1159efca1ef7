// The products of a body from its regions' parts.
#pragma once

#include <span>

#include "core/elements/elastic_constants.hpp"
#include "quartic/relaxation.hpp"

namespace quartic {

/// The sum of lambda times the first part plus mu times the second. @param constants one per part, each there
[[nodiscard]] StrainProducts combined_products(std::span<const RegionRelaxation> parts,
                                               const RegionConstants& constants);

}  // namespace quartic
