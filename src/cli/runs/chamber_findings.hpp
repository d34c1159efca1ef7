// What there is to say of a reduced model's chambers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quartic/model.hpp"

namespace quartic::cli {

struct ChamberFinding {
  std::string name;
  std::int64_t faces = 0;
  double volume = 0;  ///< at rest [m^3]
  /// Of the volume that a small pressure adds to the unreduced body's chamber, the share that it adds on the basis, 0
  /// to 1; unset for bodies that are held and can move rigidly all the same, and where no equilibrium is found.
  std::optional<double> share = {};
};

/// Without the share.
[[nodiscard]] std::vector<ChamberFinding> list_chambers(const ReducedModel& model);

/// Costs an unreduced equilibrium per chamber.
[[nodiscard]] std::vector<ChamberFinding> look_at_chambers(const ReducedModel& model);

/// A sentence for each chamber in which the basis answers pressures too stiffly.
[[nodiscard]] std::vector<std::string> chamber_warnings(const std::vector<ChamberFinding>& findings);

}  // namespace quartic::cli
