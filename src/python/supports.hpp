// Supports as Python passes them.
#pragma once

#include <string>

#include "python/shared.hpp"
#include "quartic/supports.hpp"

namespace quartic::python {

/// A `quartic.Supports`, or else a list of fixed vertices. @throws InputError that begins with the name
[[nodiscard]] Supports supports_from(nb::handle object, const std::string& name);

}  // namespace quartic::python
