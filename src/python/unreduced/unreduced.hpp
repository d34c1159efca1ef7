// Unreduced bodies and equilibria as Python passes them.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "python/matrices/matrices.hpp"
#include "quartic/chambers.hpp"
#include "quartic/statics.hpp"
#include "quartic/thermal.hpp"

namespace quartic::python {

/// Python's `quartic.StaticSolver`: one call at a time.
struct SolverObject {
  nb::object progress;  ///< called by `solver`
  std::unique_ptr<StaticSolver> solver;
  Mesh mesh;
  std::mutex mutex = {};
};

/// Python's `quartic.Equilibrium`: a result, and the shape of its solution.
struct PythonEquilibrium {
  Shared<Equilibrium> result;
  std::vector<std::int64_t> shape;
};

/// A sequence of `quartic.Chamber`s, or none.
[[nodiscard]] std::vector<Chamber> chambers_from(nb::handle object);

/// Numbers or arrays, or None for both.
[[nodiscard]] Heating optional_heating(nb::handle temperature, nb::handle expansion);

void bind_statics(nb::module_& module);

}  // namespace quartic::python
