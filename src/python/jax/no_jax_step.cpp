// Instead of jax_step.cpp, where XLA's headers aren't installed: quartic.jax says what to do.
#include "python/bindings.hpp"

namespace quartic::python {

void bind_jax_step(nanobind::module_& /*module*/) {}

}  // namespace quartic::python
