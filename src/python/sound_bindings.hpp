// What the folders sound and streaming add to the module `quartic._core`.
#pragma once

#include <nanobind/nanobind.h>

namespace quartic::python {

void bind_modal_batches(nanobind::module_& module);
void bind_exponential(nanobind::module_& module);
void bind_sounds(nanobind::module_& module);
void bind_sound_streams(nanobind::module_& module);  ///< by bind_sounds
void bind_streaming(nanobind::module_& module);

}  // namespace quartic::python
