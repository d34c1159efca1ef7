// Linear vibration modes.
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>

#include "python/bindings.hpp"
#include "python/progress.hpp"
#include "python/reduction.hpp"
#include "python/supports.hpp"

namespace quartic::python {
namespace {

// One call at a time per object.
struct System {
  std::unique_ptr<ElasticSystem> system;
  std::mutex mutex;
};

using Modes = Shared<LinearModes>;

void make_system(System* self, const Mesh& mesh, nb::handle fixed_vertices, const std::string& mass_matrix) {
  const Supports held = supports_from(fixed_vertices, "fixed_vertices");
  const MassMatrix mass = chosen(mass_matrices, "mass_matrix", mass_matrix);
  auto system = without_gil([&] { return std::make_unique<ElasticSystem>(*mesh, held, mass); });
  new (self) System{std::move(system), {}};
}

Modes find_modes(System& system, int count, const std::string& method, double tolerance, int iteration_limit,
                 std::uint64_t seed, nb::object progress) {
  ModesOptions options{.count = count, .method = chosen(modes_methods, "method", method), .tolerance = tolerance};
  options.iteration_limit = iteration_limit;
  options.seed = seed;
  return without_gil([&] {
    options.progress = progress_for(progress);
    const std::lock_guard lock(system.mutex);
    return share(linear_modes(*system.system, options));
  });
}

}  // namespace

nb::object frequencies(const std::vector<double>& eigenvalues) {
  std::vector<double> values;
  values.reserve(eigenvalues.size());
  for (const double value : eigenvalues) values.push_back(std::sqrt(value) / (2 * std::numbers::pi));
  const std::int64_t count = std::ssize(values);
  return to_numpy(owning_array(std::move(values), {count}));
}

void bind_modes(nb::module_& module) {
  nb::class_<System>(module, "ElasticSystem", "K and M of a body, and their factor.")
      .def("__init__", &make_system, nb::arg("mesh"), nb::arg("fixed_vertices"), nb::kw_only(),
           nb::arg("mass_matrix") = "consistent",
           nb::sig("def __init__(self, mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, *, "
                   "mass_matrix: str "
                   "= 'consistent') -> None"))
      .def_prop_ro("dof_count", [](const System& s) { return s.system->dof_count(); })
      .def_prop_ro("free_dof_count", [](const System& s) { return s.system->free_dof_count(); })
      .def_prop_ro("rigid_mode_count", [](const System& s) { return s.system->rigid_mode_count(); })
      .def_prop_ro("factorization_name", [](const System& s) { return std::string(s.system->factorization_name()); });
  nb::class_<Modes>(module, "LinearModes", "The lowest elastic modes, ascending.")
      .def_prop_ro(
          "eigenvalues", [](const Modes& m) { return numpy_view(m, m->eigenvalues, {std::ssize(m->eigenvalues)}); },
          nb::sig("def eigenvalues(self) -> numpy.typing.NDArray[numpy.float64]"), "omega^2 [rad^2/s^2], (k).")
      .def_prop_ro(
          "frequencies", [](const Modes& m) { return frequencies(m->eigenvalues); },
          nb::sig("def frequencies(self) -> numpy.typing.NDArray[numpy.float64]"), "[Hz], (k).")
      .def_prop_ro(
          "vectors", [](const Modes& m) { return fields_view(m, m->vectors); },
          nb::sig("def vectors(self) -> numpy.typing.NDArray[numpy.float64]"), "Mass-orthonormal, (k, n, 3).")
      .def_prop_ro(
          "residuals", [](const Modes& m) { return numpy_view(m, m->residuals, {std::ssize(m->residuals)}); },
          nb::sig("def residuals(self) -> numpy.typing.NDArray[numpy.float64]"), "Backward errors, (k).")
      .def_prop_ro("rigid_modes", [](const Modes& m) { return m->rigid_modes; })
      .def_prop_ro("iterations", [](const Modes& m) { return m->iterations; })
      .def_prop_ro("warnings", [](const Modes& m) { return m->warnings; });
  const ModesOptions defaults;
  module.def("linear_modes", &find_modes, nb::arg("system"), nb::kw_only(), nb::arg("count") = defaults.count,
             nb::arg("method") = "automatic", nb::arg("tolerance") = defaults.tolerance,
             nb::arg("iteration_limit") = defaults.iteration_limit, nb::arg("seed") = defaults.seed,
             nb::arg("progress") = nb::none(),
             nb::sig("def linear_modes(system: ElasticSystem, *, count: int = 20, method: str = 'automatic', "
                     "tolerance: float = 1e-12, "
                     "iteration_limit: int = 200, seed: int = 1, progress: quartic._typing.Progress | None = None) -> "
                     "LinearModes"),
             "Solves K x = lambda M x for the lowest elastic pairs.");
}

}  // namespace quartic::python
