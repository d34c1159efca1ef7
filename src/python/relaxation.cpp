// Relaxed strains.
#include "quartic/relaxation.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"
#include "python/energy.hpp"
#include "python/shared.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

using SharedRelaxation = Shared<Relaxation>;

constexpr const char* use_words[] = {"used", "no_equilibrium", "inverted", "outside_of_basis"};

const Relaxation& relaxation_of(const Model& model) {
  if (!model->relaxation)
    throw InputError("the model doesn't know what could be relaxed: reduce(..., relax=0) tells it, too");
  return *model->relaxation;
}

}  // namespace

void bind_relaxations(nb::module_& module) {
  nb::class_<CalibrationLoad>(module, "CalibrationLoad", "A load that the share of a relaxation was calibrated with.")
      .def_ro("amplitude", &CalibrationLoad::amplitude, "Largest linear displacement over the body's largest extent.")
      .def_ro("unrelaxed_error", &CalibrationLoad::unrelaxed_error, "Of the equilibrium, relative, in the mass norm.")
      .def_ro("relaxed_error", &CalibrationLoad::relaxed_error)
      .def_prop_ro(
          "use", [](const CalibrationLoad& load) { return use_words[static_cast<std::size_t>(load.use)]; },
          nb::sig("def use(self) -> str"), "'used', or why it wasn't.");
  nb::class_<SharedRelaxation>(module, "Relaxation", "What a model's energy is relaxed by.")
      .def_prop_ro(
          "share", [](const SharedRelaxation& r) { return r->share; }, "beta, from 0 to 1.")
      .def_prop_ro(
          "reach", [](const SharedRelaxation& r) { return r->reach; }, "Largest linear energy of its states [J].")
      .def_prop_ro(
          "products", [](const SharedRelaxation& r) { return matrix_view(r, r->products); },
          nb::sig("def products(self) -> numpy.typing.NDArray[numpy.float64]"),
          "t, (n, r(r+1)/2): V = energy + share / 2 |t m|^2 with the products m of q_i q_j, i <= j.")
      .def_prop_ro("has_region_parts", [](const SharedRelaxation& r) { return !r->regions.empty(); })
      .def_prop_ro("calibration", [](const SharedRelaxation& r) { return r->calibration; });
  module.def(
      "relaxable_share",
      [](const Model& model, nb::handle q) {
        return relaxable_share(model->energy, relaxation_of(model), doubles(q, "q", {model->rank()}));
      },
      nb::arg("model"), nb::arg("q"),
      nb::sig("def relaxable_share(model: ReducedModel, q: quartic._typing.ArrayLike) -> float"),
      "The share of the energy at q (r) that more displacements would take away: tells of locking.");
  module.def(
      "linear_energy",
      [](const Model& model, nb::handle q) { return linear_energy(model->energy, doubles(q, "q", {model->rank()})); },
      nb::arg("model"), nb::arg("q"),
      nb::sig("def linear_energy(model: ReducedModel, q: quartic._typing.ArrayLike) -> float"),
      "1/2 q^T K q with K at rest [J]: what `Relaxation.reach` bounds.");
  nb::class_<StateTrust>(module, "StateTrust", "How far a state can be trusted.")
      .def_ro("relaxable_share", &StateTrust::relaxable_share)
      .def_ro("linear_energy", &StateTrust::linear_energy, "[J]")
      .def_ro("beyond_reach", &StateTrust::beyond_reach, "Whether that is more than the relaxation's reach.");
  module.def(
      "state_trust",
      [](const Model& model, nb::handle q) {
        return state_trust(model->energy, relaxation_of(model), doubles(q, "q", {model->rank()}));
      },
      nb::arg("model"), nb::arg("q"),
      nb::sig("def state_trust(model: ReducedModel, q: quartic._typing.ArrayLike) -> StateTrust"),
      "relaxable_share and linear_energy of q (r), and whether it is beyond the model's reach.");
  module.def(
      "unrelaxed", [](const Model& model) { return share(unrelaxed(model->energy, relaxation_of(model))); },
      nb::arg("model"), nb::sig("def unrelaxed(model: ReducedModel) -> QuarticEnergy"),
      "The model's energy before it was relaxed.");
}

}  // namespace quartic::python
