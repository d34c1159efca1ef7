// Material laws at a point, and cubatures.
#include <nanobind/stl/optional.h>

#include <array>
#include <optional>
#include <string>

#include "python/bindings.hpp"
#include "python/choices.hpp"
#include "python/energy.hpp"
#include "python/progress.hpp"
#include "quartic/cubature_training.hpp"
#include "quartic/laws.hpp"

namespace quartic::python {
namespace {

constexpr Choice<LawTangent, 2> tangents{{{"exact", LawTangent::exact}, {"projected", LawTangent::projected}}};

// (psi, P, dP/dF)
nb::object law_at(const Material& material, nb::handle deformation_gradient, const std::string& tangent) {
  const std::vector<double> f = doubles(deformation_gradient, "deformation_gradient", {3, 3});
  const LawResponse response =
      evaluate_law(material, std::span<const double, 9>(f.data(), 9), chosen(tangents, "tangent", tangent));
  return nb::make_tuple(
      response.energy,
      to_numpy(owning_array(std::vector<double>(response.stress.begin(), response.stress.end()), {3, 3})),
      to_numpy(owning_array(std::vector<double>(response.tangent.begin(), response.tangent.end()), {3, 3, 3, 3})));
}

// (V, R, K)
nb::object evaluate_at(const SharedCubature& cubature, nb::handle q) {
  ReducedForces forces = evaluate(*cubature, doubles(q, "q", {cubature->rank}));
  const std::int64_t r = cubature->rank;
  return nb::make_tuple(forces.energy, to_numpy(owning_array(std::move(forces.force), {r})),
                        to_numpy(owning_array(std::move(forces.stiffness.values), {r, r})));
}

CubatureOptions options_of(const std::string& base, const std::string& tangent, const std::string& states) {
  CubatureOptions options;
  options.base = find_control_variate(base);
  options.tangent = chosen(tangents, "tangent", tangent);
  options.states = find_training_states(states);
  return options;
}

SharedCubature train(const Mesh& mesh, nb::handle basis, const std::string& base, const std::string& tangent,
                     double tolerance, int points, int samples, int fresh_samples, double amplitude,
                     const std::string& states, bool tangent_rows, std::int64_t candidates, std::uint64_t seed,
                     nb::object progress) {
  const Matrix own = fields(basis, "basis", 3 * mesh->vertex_count());
  CubatureOptions options = options_of(base, tangent, states);
  options.tolerance = tolerance;
  options.points = points;
  options.samples = samples;
  options.fresh_samples = fresh_samples;
  options.amplitude = amplitude;
  options.tangent_rows = tangent_rows;
  options.candidates = candidates;
  options.seed = seed;
  return without_gil([&] {
    options.progress = progress_for(progress);
    return share(train_cubature(*mesh, own.map(), options));
  });
}

void bind_reports(nb::module_& module) {
  nb::class_<CubatureError>(module, "CubatureError", "An error over several states.")
      .def_ro("median", &CubatureError::median)
      .def_ro("ninetieth", &CubatureError::ninetieth, "Percentile.")
      .def_ro("largest", &CubatureError::largest);
  nb::class_<CubatureReport>(module, "CubatureReport", "How wrong a cubature is on states it wasn't trained on.")
      .def_ro("states", &CubatureReport::states)
      .def_ro("force", &CubatureReport::force)
      .def_ro("energy", &CubatureReport::energy)
      .def_ro("tangent", &CubatureReport::tangent)
      .def_ro("equilibrium", &CubatureReport::equilibrium)
      .def_ro("residual", &CubatureReport::residual)
      .def_ro("tolerance", &CubatureReport::tolerance)
      .def_ro("seed", &CubatureReport::seed);
}

void bind_class(nb::module_& module) {
  nb::class_<SharedCubature>(module, "Cubature", "The reduced energy of any material law, summed up at a few points.")
      .def_prop_ro("rank", [](const SharedCubature& c) { return c->rank; })
      .def_prop_ro(
          "count", [](const SharedCubature& c) { return c->count(); }, "Number of points.")
      .def_prop_ro("base", [](const SharedCubature& c) { return std::string(control_variate_name(c->base)); })
      .def_prop_ro(
          "points",
          [](const SharedCubature& c) {
            std::vector<std::int32_t> numbers;
            for (const CubaturePoint& point : c->points) numbers.insert(numbers.end(), {point.element, point.point});
            return to_numpy(owning_array(std::move(numbers), {c->count(), 2}));
          },
          nb::sig("def points(self) -> numpy.typing.NDArray[numpy.int32]"), "Element and point of its rule, (T, 2).")
      .def_prop_ro(
          "weights", [](const SharedCubature& c) { return numpy_view(c, c->weights, {c->count()}); },
          nb::sig("def weights(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro(
          "volumes", [](const SharedCubature& c) { return numpy_view(c, c->volumes, {c->count()}); },
          nb::sig("def volumes(self) -> numpy.typing.NDArray[numpy.float64]"), "Of the points [m^3].")
      .def_prop_ro(
          "gradients",
          [](const SharedCubature& c) {
            return numpy_view(c, c->gradients, {c->count(), 3, 3, c->rank});
          },
          nb::sig("def gradients(self) -> numpy.typing.NDArray[numpy.float64]"),
          "d u_i / d X_J of each basis vector, (T, 3, 3, r).")
      .def_prop_ro(
          "stiffness", [](const SharedCubature& c) { return matrix_view(c, c->stiffness); },
          nb::sig("def stiffness(self) -> numpy.typing.NDArray[numpy.float64]"), "K(0) of all points, (r, r).")
      .def_prop_ro(
          "report", [](const SharedCubature& c) { return c->report; }, "Of the training, if there is one.")
      .def("evaluate", &evaluate_at, nb::arg("q"),
           nb::sig(
               "def evaluate(self, q: quartic._typing.ArrayLike) -> tuple[float, numpy.typing.NDArray[numpy.float64], "
               "numpy.typing.NDArray[numpy.float64]]"),
           "Energy V [J], force dV/dq (r) and stiffness (r, r) of one body at q (r), in double.");
}

}  // namespace

void bind_cubatures(nb::module_& module) {
  module.def(
      "evaluate_law", &law_at, nb::arg("material"), nb::arg("deformation_gradient"), nb::kw_only(),
      nb::arg("tangent") = "exact",
      nb::sig("def evaluate_law(material: Material, deformation_gradient: quartic._typing.ArrayLike, *, tangent: "
              "str = 'exact') -> tuple[float, numpy.typing.NDArray[numpy.float64], "
              "numpy.typing.NDArray[numpy.float64]]"),
      "Energy [J/m^3], stress dpsi/dF (3, 3) and tangent (3, 3, 3, 3) [Pa] of a law at F (3, 3); tangent \"exact\" or "
      "\"projected\", without its negative eigenvalues.");
  bind_reports(module);
  bind_class(module);
  module.def(
      "full_cubature",
      [](const Mesh& mesh, nb::handle basis, const std::string& base) {
        const Matrix own = fields(basis, "basis", 3 * mesh->vertex_count());
        const ControlVariate control = find_control_variate(base);
        return without_gil([&] { return share(full_cubature(*mesh, own.map(), control)); });
      },
      nb::arg("mesh"), nb::arg("basis"), nb::kw_only(), nb::arg("base") = "stiffness",
      nb::sig("def full_cubature(mesh: VolumeMesh, basis: quartic._typing.ArrayLike, *, base: str = 'stiffness') -> "
              "Cubature"),
      "All quadrature points, each of weight 1; basis (r, n, 3).");
  module.def("train_cubature", &train, nb::arg("mesh"), nb::arg("basis"), nb::kw_only(), nb::arg("base") = "stiffness",
             nb::arg("tangent") = "exact", nb::arg("tolerance") = 1e-2, nb::arg("points") = 0, nb::arg("samples") = 200,
             nb::arg("fresh_samples") = 40, nb::arg("amplitude") = 0.3, nb::arg("states") = "mixed",
             nb::arg("tangent_rows") = true, nb::arg("candidates") = 20'000, nb::arg("seed") = 1,
             nb::arg("progress") = nb::none(),
             nb::sig("def train_cubature(mesh: VolumeMesh, basis: quartic._typing.ArrayLike, *, base: str = "
                     "'stiffness', tangent: str = 'exact', tolerance: float = 0.01, points: int = 0, samples: int = "
                     "200, fresh_samples: int = 40, amplitude: float = 0.3, states: str = 'mixed', tangent_rows: bool "
                     "= True, candidates: int = 20000, seed: int = 1, progress: quartic._typing.Progress | None = "
                     "None) -> Cubature"),
             "Chooses points and weights by non-negative least squares; points=0: as many as the tolerance takes.");
  module.def(
      "judge_cubature",
      [](const Mesh& mesh, nb::handle basis, const SharedCubature& cubature, int states, double amplitude,
         std::uint64_t seed) {
        const Matrix own = fields(basis, "basis", 3 * mesh->vertex_count());
        return without_gil([&] {
          return judge_cubature(*mesh, own.map(), *cubature,
                                {.fresh_samples = states, .amplitude = amplitude, .seed = seed});
        });
      },
      nb::arg("mesh"), nb::arg("basis"), nb::arg("cubature"), nb::kw_only(), nb::arg("states") = 40,
      nb::arg("amplitude") = 0.3, nb::arg("seed") = 1,
      nb::sig("def judge_cubature(mesh: VolumeMesh, basis: quartic._typing.ArrayLike, cubature: Cubature, *, states: "
              "int = 40, amplitude: float = 0.3, seed: int = 1) -> CubatureReport"),
      "Errors on equilibria under random loads.");
}

}  // namespace quartic::python
