// Reduced energies, and the force models of batches.
#include "python/energy.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "python/bindings.hpp"
#include "python/progress.hpp"
#include "quartic/error.hpp"
#include "quartic/strain_damping.hpp"

namespace quartic::python {
namespace {

QuarticEnergy make_energy(int rank, nb::handle coefficients) {
  if (rank < 1) throw InputError("the rank of an energy is 1 or more, not " + std::to_string(rank));
  return {rank, doubles(coefficients, "coefficients", {quartic_coefficient_count(rank)})};
}

StrainForm make_strain_form(int rank, nb::handle factor) {
  if (rank < 1) throw InputError("the rank of a strain form is 1 or more, not " + std::to_string(rank));
  const std::int64_t p = strain_count(rank);
  return {rank, doubles(factor, "factor", {p * (p + 1) / 2})};
}

// (V, R, K)
template <class Form>
nb::object evaluate_at(const Shared<Form>& form, nb::handle q) {
  ReducedForces forces = evaluate(*form, doubles(q, "q", {form->rank}));
  const std::int64_t r = form->rank;
  return nb::make_tuple(forces.energy, to_numpy(owning_array(std::move(forces.force), {r})),
                        to_numpy(owning_array(std::move(forces.stiffness.values), {r, r})));
}

}  // namespace

void bind_energies(nb::module_& module) {
  constexpr const char* evaluate_text =
      "Energy V [J], force dV/dq (r) and stiffness (r, r) of one body at q (r), in double.";
  nb::class_<Energy>(module, "QuarticEnergy", "The reduced StVK energy as one symmetric tensor.")
      .def(
          "__init__",
          [](Energy* self, int rank, nb::handle coefficients) {
            new (self) Energy(share(make_energy(rank, coefficients)));
          },
          nb::arg("rank"), nb::arg("coefficients"),
          nb::sig("def __init__(self, rank: int, coefficients: quartic._typing.ArrayLike) -> None"),
          "The C(r+4, 4) distinct values S_abcd, a <= b <= c <= d in 0..r, lexicographic [J].")
      .def_prop_ro("rank", [](const Energy& e) { return e->rank; })
      .def_prop_ro(
          "coefficients", [](const Energy& e) { return numpy_view(e, e->coefficients, {std::ssize(e->coefficients)}); },
          nb::sig("def coefficients(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def("evaluate", &evaluate_at<QuarticEnergy>, nb::arg("q"),
           nb::sig(
               "def evaluate(self, q: quartic._typing.ArrayLike) -> tuple[float, numpy.typing.NDArray[numpy.float64], "
               "numpy.typing.NDArray[numpy.float64]]"),
           evaluate_text);
  nb::class_<SharedStrainForm>(module, "StrainForm", "The same energy as half a sum of squared strains.")
      .def(
          "__init__",
          [](SharedStrainForm* self, int rank, nb::handle factor) {
            new (self) SharedStrainForm(share(make_strain_form(rank, factor)));
          },
          nb::arg("rank"), nb::arg("factor"),
          nb::sig("def __init__(self, rank: int, factor: quartic._typing.ArrayLike) -> None"),
          "L, upper triangular with p = r + r(r+1)/2 rows: row by row from the diagonal on.")
      .def_prop_ro("rank", [](const SharedStrainForm& f) { return f->rank; })
      .def_prop_ro(
          "factor", [](const SharedStrainForm& f) { return numpy_view(f, f->factor, {std::ssize(f->factor)}); },
          nb::sig("def factor(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def("evaluate", &evaluate_at<StrainForm>, nb::arg("q"),
           nb::sig(
               "def evaluate(self, q: quartic._typing.ArrayLike) -> tuple[float, numpy.typing.NDArray[numpy.float64], "
               "numpy.typing.NDArray[numpy.float64]]"),
           evaluate_text)
      .def(
          "damping",
          [](const SharedStrainForm& f, nb::handle q) {
            Matrix damping = strain_damping_matrix(*f, doubles(q, "q", {f->rank}));
            return to_numpy(owning_array(std::move(damping.values), {damping.rows, damping.cols}));
          },
          nb::arg("q"),
          nb::sig("def damping(self, q: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
          "D / tau, (r, r), of damping by strain rates (Batch.set_strain_damping) at q.");
  module.def(
      "reduce_strains",
      [](const Model& model, nb::object progress) {
        return without_gil([&] {
          ReduceEnergyOptions options;
          options.progress = progress_for(progress);
          const StrainForm form = reduce_strains(model->mesh, model->basis.map(), options);
          return share(model->relaxation ? relaxed(form, *model->relaxation) : form);
        });
      },
      nb::arg("model"), nb::kw_only(), nb::arg("progress") = nb::none(),
      nb::sig(
          "def reduce_strains(model: ReducedModel, *, progress: quartic._typing.Progress | None = None) -> StrainForm"),
      "A model's energy as a sum of squares, for Batch(..., evaluation=\"accurate\").");
}

}  // namespace quartic::python
