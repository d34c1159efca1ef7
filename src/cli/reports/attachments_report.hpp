// What reports say of supports, joints, masses and springs.
#pragma once

#include <string>

#include "quartic/mesh.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

/// Sum of the masses at vertices [kg].
[[nodiscard]] double point_mass_of(const VolumeMesh& mesh);

/// "12 equations of joints, 3 springs, 0.6 kg at vertices"; empty if there are none.
[[nodiscard]] std::string attachments_text(const VolumeMesh& mesh);

/// "25 vertices fixed, 80 directions held", and what is attached.
[[nodiscard]] std::string supports_text(const ReducedModel& model);

}  // namespace quartic::cli
