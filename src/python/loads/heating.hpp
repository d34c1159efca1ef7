// Heat as Python passes it.
#pragma once

#include "python/shared.hpp"
#include "quartic/thermal.hpp"

namespace quartic::python {

/// Of numbers or arrays.
[[nodiscard]] Heating heating_from(nb::handle temperature, nb::handle expansion);

}  // namespace quartic::python
