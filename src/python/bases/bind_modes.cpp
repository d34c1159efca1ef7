// Linear vibration modes.
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>

#include "python/bindings.hpp"
#include "python/matrices/matrices.hpp"
#include "python/progress.hpp"
#include "python/reduction.hpp"
#include "python/supports.hpp"
#include "quartic/basis.hpp"

namespace quartic::python {
namespace {

// One call at a time per object.
struct System {
  std::shared_ptr<ElasticSystem> system;
  std::mutex mutex;
};

using Modes = Shared<LinearModes>;
using Derivatives = Shared<ModalDerivatives>;

FactorizationOptions factor_on(const std::string& factorization, const std::string& backend) {
  return {chosen(factorization_methods, "factorization", factorization), device_of("backend", backend).backend};
}

void make_system(System* self, const Mesh& mesh, nb::handle fixed_vertices, const std::string& mass_matrix,
                 const std::string& factorization, const std::string& backend) {
  const Supports held = supports_from(fixed_vertices, "fixed_vertices");
  const MassMatrix mass = chosen(mass_matrices, "mass_matrix", mass_matrix);
  const FactorizationOptions options = factor_on(factorization, backend);
  auto system = without_gil([&] { return std::make_shared<ElasticSystem>(*mesh, held, mass, options); });
  new (self) System{std::move(system), {}};
}

void make_system_of_matrices(System* self, const Sparse& stiffness, const Sparse& mass, nb::handle fixed_vertices,
                             nb::handle rigid_modes, const std::string& factorization, const std::string& backend) {
  const Supports held = supports_from(fixed_vertices, "fixed_vertices");
  const Matrix rigid = rigid_modes.is_none() ? Matrix() : fields(rigid_modes, "rigid_modes", mass->rows);
  const FactorizationOptions options = factor_on(factorization, backend);
  auto system = without_gil([&] { return std::make_shared<ElasticSystem>(*stiffness, *mass, held, rigid, options); });
  new (self) System{std::move(system), {}};
}

Derivatives find_derivatives(const Mesh& mesh, System& system, const Modes& modes, const std::string& kind,
                             nb::object progress) {
  ModalDerivativesOptions options{.kind = chosen(derivative_kinds, "kind", kind)};
  return without_gil([&] {
    options.progress = progress_for(progress);
    const std::lock_guard lock(system.mutex);
    return share(modal_derivatives(*mesh, *system.system, modes->vectors.map(), options));
  });
}

nb::object pairs_of(const Derivatives& derivatives) {
  std::vector<std::int32_t> pairs;
  for (const auto& [i, j] : derivatives->pairs) pairs.insert(pairs.end(), {i, j});
  const std::int64_t count = std::ssize(derivatives->pairs);
  return to_numpy(owning_array(std::move(pairs), {count, 2}));
}

void bind_derivatives(nb::module_& module) {
  nb::class_<Derivatives>(module, "ModalDerivatives", "How modes change along modes.")
      .def_prop_ro("pairs", &pairs_of, nb::sig("def pairs(self) -> numpy.typing.NDArray[numpy.int32]"), "(p, 2)")
      .def_prop_ro(
          "vectors", [](const Derivatives& d) { return fields_view(d, d->vectors); },
          nb::sig("def vectors(self) -> numpy.typing.NDArray[numpy.float64]"), "Not normalised, (p, n, 3).");
  module.def("modal_derivatives", &find_derivatives, nb::arg("mesh"), nb::arg("system"), nb::arg("modes"),
             nb::kw_only(), nb::arg("kind") = "static", nb::arg("progress") = nb::none(),
             nb::sig("def modal_derivatives(mesh: VolumeMesh, system: ElasticSystem, modes: LinearModes, *, kind: str "
                     "= 'static', progress: quartic._typing.Progress | None = None) -> ModalDerivatives"),
             "Of all pairs of modes: static, or inertial.");
  module.def(
      "scaled_fields",
      [](const Modes& modes, const Derivatives& derivatives, const Sparse& mass) {
        return fields_array(without_gil([&] { return scaled_fields(*modes, *derivatives, *mass); }));
      },
      nb::arg("modes"), nb::arg("derivatives"), nb::arg("mass"),
      nb::sig("def scaled_fields(modes: LinearModes, derivatives: ModalDerivatives, mass: SparseMatrix) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "The fields (k, n, 3) whose mass_pca is the standard basis.");
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
           nb::arg("mass_matrix") = "consistent", nb::arg("factorization") = "automatic", nb::arg("backend") = "cpu",
           nb::sig("def __init__(self, mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, *, "
                   "mass_matrix: str = 'consistent', factorization: str = 'automatic', backend: str = 'cpu') -> None"))
      .def("__init__", &make_system_of_matrices, nb::arg("stiffness"), nb::arg("mass"), nb::arg("fixed_vertices"),
           nb::kw_only(), nb::arg("rigid_modes") = nb::none(), nb::arg("factorization") = "automatic",
           nb::arg("backend") = "cpu",
           nb::sig("def __init__(self, stiffness: SparseMatrix, mass: SparseMatrix, fixed_vertices: Supports | "
                   "quartic._typing.Indices, *, rigid_modes: quartic._typing.ArrayLike | None = None, factorization: "
                   "str = 'automatic', backend: str = 'cpu') -> None"),
           "Of matrices of your own; rigid_modes (m, n, 3) of a body that isn't held.")
      .def_prop_ro(
          "mass",
          [](System& s) {
            return without_gil([&] {
              const std::lock_guard lock(s.mutex);
              return Sparse{std::shared_ptr<const SparseMatrix>(s.system, &s.system->mass())};
            });
          },
          "M [kg], (3n, 3n).")
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
  bind_derivatives(module);
}

}  // namespace quartic::python
