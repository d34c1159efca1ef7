// Equilibria of reduced bodies with gases in their chambers.
#pragma once

#include <span>

#include "quartic/export.hpp"
#include "quartic/gas.hpp"
#include "quartic/statics.hpp"

namespace quartic {

/// reduced_equilibrium with gases beside the pressures: R(q) - sum (p + a / V(q) - b) dV/dq = f. While the load grows,
/// what gases push with grows, too. No volume may fall to 0: such an equilibrium isn't found.
/// @param pressure [Pa], shape (chambers), or empty: none
/// @throws InputError as with pressures, for another number of amounts or one out of range
[[nodiscard]] QUARTIC_EXPORT Equilibrium reduced_equilibrium(const QuarticEnergy& energy,
                                                             std::span<const EnclosedVolume> chambers,
                                                             std::span<const double> pressure, const Gases& gases,
                                                             std::span<const double> force,
                                                             std::span<const double> start = {},
                                                             const StaticsOptions& options = {});

}  // namespace quartic
