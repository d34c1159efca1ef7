// quartic's exceptions as Python's.
#pragma once

#include <nanobind/nanobind.h>

namespace quartic::python {

/// Defines `Error`, `InputError` (also a ValueError), `ParseError` (with .filename and .lineno), `FileError` (OSError),
/// `NumericalError` (ArithmeticError), `BackendUnavailable` and `DeviceError` (RuntimeError), and turns C++'s into
/// them.
void bind_errors(nanobind::module_& module);

}  // namespace quartic::python
