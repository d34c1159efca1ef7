// Sounds as Python's objects hold them.
#pragma once

#include <nanobind/nanobind.h>

#include "quartic/sound.hpp"

namespace quartic::python {

void bind_sound_streams(nanobind::module_& module);  ///< by bind_sounds

}  // namespace quartic::python
