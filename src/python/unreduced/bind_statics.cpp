// Equilibria under loads, unreduced or reduced.
#include <string>
#include <utility>

#include "python/bindings.hpp"
#include "python/energy.hpp"
#include "python/progress.hpp"
#include "python/supports.hpp"
#include "python/unreduced/unreduced.hpp"
#include "quartic/error.hpp"
#include "quartic/gas_equilibrium.hpp"
#include "quartic/matrix.hpp"

namespace quartic::python {
namespace {

// Numbers of some shape, or none where they are left out.
std::vector<double> optional_numbers(nb::handle object, const char* name, const std::vector<std::int64_t>& shape) {
  if (object.is_none()) return {};
  return doubles(object, name, shape);
}

void construct(SolverObject* self, const Mesh& mesh, nb::handle fixed_vertices, int load_steps, int halvings,
               int newton_iterations, double tolerance, nb::handle chambers, const std::string& factorization,
               nb::handle temperature, nb::handle expansion, nb::object progress) {
  StaticsOptions options{load_steps, halvings, newton_iterations, tolerance};
  options.factorization.method = chosen(factorization_methods, "factorization", factorization);
  options.heating = optional_heating(temperature, expansion);
  options.progress = progress_for(progress);
  const Supports held = supports_from(fixed_vertices, "fixed_vertices");
  const std::vector<Chamber> cavities = chambers_from(chambers);
  auto solver = without_gil([&] { return std::make_unique<StaticSolver>(*mesh, held, options, cavities); });
  new (self) SolverObject{std::move(progress), std::move(solver), mesh};
}

PythonEquilibrium solve(SolverObject& self, nb::handle force, nb::handle start, nb::handle pressure) {
  const std::vector<std::int64_t> shape = {self.mesh->vertex_count(), 3};
  const std::vector<double> load = doubles(force, "force", shape), from = optional_numbers(start, "start", shape),
                            within = optional_numbers(pressure, "pressure", {-1});
  return {without_gil([&] {
            const std::lock_guard lock(self.mutex);
            return share(self.solver->solve(load, from, within));
          }),
          shape};
}

const QuarticEnergy& energy_of(nb::handle object) {
  if (nb::isinstance<Model>(object)) return nb::cast<const Model&>(object)->energy;
  if (nb::isinstance<Energy>(object)) return *nb::cast<const Energy&>(object);
  throw InputError("an equilibrium is of a model, an energy or a cubature, not of a " +
                   nb::cast<std::string>(object.type().attr("__name__")));
}

struct ReducedOptions {
  int load_steps, halvings, newton_iterations;
  double tolerance;

  [[nodiscard]] StaticsOptions with(nb::handle progress) const {
    StaticsOptions options{load_steps, halvings, newton_iterations, tolerance};
    options.progress = progress_for(progress);
    return options;
  }
};

PythonEquilibrium equilibrium(nb::handle model, nb::handle force, nb::handle start, nb::handle pressure, nb::handle gas,
                              double atmosphere, int load_steps, int halvings, int newton_iterations, double tolerance,
                              nb::object progress) {
  const StaticsOptions options = ReducedOptions{load_steps, halvings, newton_iterations, tolerance}.with(progress);
  if (const Cubature* cubature = cubature_of(model)) {
    if (!pressure.is_none() || !gas.is_none())
      throw InputError("chambers don't go with a cubature yet; leave pressure= and gas= out");
    const std::vector<std::int64_t> shape = {cubature->rank};
    const std::vector<double> load = doubles(force, "force", shape), from = optional_numbers(start, "start", shape);
    return {without_gil([&] { return share(reduced_equilibrium(*cubature, load, from, options)); }), shape};
  }
  const QuarticEnergy& energy = energy_of(model);
  const std::vector<std::int64_t> shape = {energy.rank};
  const std::vector<double> load = doubles(force, "force", shape), from = optional_numbers(start, "start", shape);
  if (pressure.is_none() && gas.is_none())
    return {without_gil([&] { return share(reduced_equilibrium(energy, load, from, options)); }), shape};
  if (!nb::isinstance<Model>(model))
    throw InputError("pressure= and gas= are for models with chambers, not for energies");
  const std::vector<EnclosedVolume> volumes = chamber_volumes(*nb::cast<const Model&>(model));
  const std::vector<double> within = optional_numbers(pressure, "pressure", {std::ssize(volumes)});
  const Gases gases{optional_numbers(gas, "gas", {std::ssize(volumes)}), atmosphere};
  return {without_gil([&] { return share(reduced_equilibrium(energy, volumes, within, gases, load, from, options)); }),
          shape};
}

std::vector<PythonEquilibrium> equilibria(nb::handle model, nb::handle forces, int load_steps, int halvings,
                                          int newton_iterations, double tolerance, nb::object progress) {
  if (cubature_of(model) != nullptr)
    throw InputError(
        "several equilibria are of a quartic energy; call reduced_equilibrium for each force of a cubature");
  const QuarticEnergy& energy = energy_of(model);
  const StaticsOptions options = ReducedOptions{load_steps, halvings, newton_iterations, tolerance}.with(progress);
  Matrix loads;
  loads.values = doubles(forces, "forces", {-1, energy.rank});  // rows of (k, r) are columns of (r, k)
  loads.rows = energy.rank;
  loads.cols = std::ssize(loads.values) / energy.rank;
  std::vector<Equilibrium> found = without_gil([&] { return reduced_equilibria(energy, loads.map(), options); });
  std::vector<PythonEquilibrium> results;
  for (Equilibrium& one : found) results.push_back({share(std::move(one)), {energy.rank}});
  return results;
}

void bind_equilibrium(nb::module_& module) {
  using E = PythonEquilibrium;
  nb::class_<E>(module, "Equilibrium", "The result of a static solve.")
      .def_prop_ro(
          "solution", [](const E& e) { return numpy_view(e.result, e.result->solution, e.shape); },
          nb::sig("def solution(self) -> numpy.typing.NDArray[numpy.float64]"),
          "u [m], (n, 3), or q, (r): of the last load that was reached.")
      .def_prop_ro(
          "converged", [](const E& e) { return e.result->converged; }, "Whether it holds the whole load.")
      .def_prop_ro(
          "stable", [](const E& e) { return e.result->stable; }, "Whether the stiffness there is positive definite.")
      .def_prop_ro(
          "load_factor", [](const E& e) { return e.result->load_factor; }, "The part of the load that it holds.")
      .def_prop_ro(
          "residual", [](const E& e) { return e.result->residual; }, "Unbalanced force, relative.")
      .def_prop_ro(
          "energy_error", [](const E& e) { return e.result->energy_error; }, "Last correction, relative.")
      .def_prop_ro("load_steps", [](const E& e) { return e.result->load_steps; })
      .def_prop_ro("iterations", [](const E& e) { return e.result->iterations; })
      .def_prop_ro("regularised", [](const E& e) { return e.result->regularised; });
}

void bind_solver(nb::module_& module) {
  const StaticsOptions defaults;
  nb::class_<SolverObject>(module, "StaticSolver", "Equilibria of one unreduced, held body under any number of loads.")
      .def("__init__", &construct, nb::arg("mesh"), nb::arg("fixed_vertices"), nb::kw_only(),
           nb::arg("load_steps") = defaults.load_steps, nb::arg("halvings") = defaults.halvings,
           nb::arg("newton_iterations") = defaults.newton_iterations, nb::arg("tolerance") = defaults.tolerance,
           nb::arg("chambers") = nb::none(), nb::arg("factorization") = "automatic",
           nb::arg("temperature") = nb::none(), nb::arg("expansion") = nb::none(), nb::arg("progress") = nb::none(),
           nb::sig("def __init__(self, mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, *, "
                   "load_steps: int = 1, halvings: int = 10, newton_iterations: int = 100, tolerance: float = 1e-10, "
                   "chambers: collections.abc.Sequence[Chamber] | None = None, factorization: str = 'automatic', "
                   "temperature: float | quartic._typing.ArrayLike | None = None, expansion: float | "
                   "quartic._typing.ArrayLike | None = None, progress: quartic._typing.Progress | None = None) -> "
                   "None"))
      .def("solve", &solve, nb::arg("force"), nb::arg("start") = nb::none(), nb::arg("pressure") = nb::none(),
           nb::sig("def solve(self, force: quartic._typing.ArrayLike, start: quartic._typing.ArrayLike | None = None, "
                   "pressure: quartic._typing.ArrayLike | None = None) -> Equilibrium"),
           "From start (n, 3), or rest, while the force grows to `force` (n, 3) [N], and pressures (chambers) from 0. "
           "What can't be reached is told by `converged`.")
      .def_prop_ro("factorization_name",
                   [](const SolverObject& s) { return std::string(s.solver->factorization_name()); });
}

}  // namespace

void bind_statics(nb::module_& module) {
  bind_equilibrium(module);
  bind_solver(module);
  const StaticsOptions defaults;
  const std::string options =
      "load_steps: int = 1, halvings: int = 10, newton_iterations: int = 100, tolerance: float = 1e-10, progress: "
      "quartic._typing.Progress | None = None) -> ";
  module.def(
      "reduced_equilibrium", &equilibrium, nb::arg("model"), nb::arg("force"), nb::arg("start") = nb::none(),
      nb::arg("pressure") = nb::none(), nb::kw_only(), nb::arg("gas") = nb::none(),
      nb::arg("atmosphere") = standard_atmosphere, nb::arg("load_steps") = defaults.load_steps,
      nb::arg("halvings") = defaults.halvings, nb::arg("newton_iterations") = defaults.newton_iterations,
      nb::arg("tolerance") = defaults.tolerance, nb::arg("progress") = nb::none(),
      nb::sig(
          ("def reduced_equilibrium(model: ReducedModel | QuarticEnergy | Cubature, force: quartic._typing.ArrayLike, "
           "start: quartic._typing.ArrayLike | None = None, pressure: quartic._typing.ArrayLike | None = "
           "None, *, gas: quartic._typing.ArrayLike | None = None, atmosphere: float = 101325.0, " +
           options + "Equilibrium")
              .c_str()),
      "R(q) = f for a reduced force (r), also of a cubature, and under pressures in a model's chambers, or with gases "
      "in them that "
      "keep p V = gas [J], as Batch.set_gas.");
  module.def("reduced_equilibria", &equilibria, nb::arg("model"), nb::arg("forces"), nb::kw_only(),
             nb::arg("load_steps") = defaults.load_steps, nb::arg("halvings") = defaults.halvings,
             nb::arg("newton_iterations") = defaults.newton_iterations, nb::arg("tolerance") = defaults.tolerance,
             nb::arg("progress") = nb::none(),
             nb::sig(("def reduced_equilibria(model: ReducedModel | QuarticEnergy, forces: quartic._typing.ArrayLike, "
                      "*, " +
                      options + "list[Equilibrium]")
                         .c_str()),
             "For several reduced forces (k, r), each from rest.");
  module.def(
      "inverted_elements",
      [](const Mesh& mesh, nb::handle displacement) {
        return inverted_elements(*mesh, vertex_numbers(displacement, "displacement", mesh));
      },
      nb::arg("mesh"), nb::arg("displacement"),
      nb::sig("def inverted_elements(mesh: VolumeMesh, displacement: quartic._typing.ArrayLike) -> int"),
      "How many elements displacements (n, 3) invert or flatten.");
}

}  // namespace quartic::python
