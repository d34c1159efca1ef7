// Energies as Python's objects hold them.
#pragma once

#include "python/shared.hpp"
#include "quartic/cubature.hpp"
#include "quartic/energy.hpp"

namespace quartic::python {

using Energy = Shared<QuarticEnergy>;
using SharedStrainForm = Shared<StrainForm>;
using SharedCubature = Shared<Cubature>;

/// A cubature, or a model's; null for what has none.
[[nodiscard]] const Cubature* cubature_of(nanobind::handle object);

}  // namespace quartic::python
