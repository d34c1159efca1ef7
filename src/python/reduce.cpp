// From meshes to reduced models.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "python/bindings.hpp"
#include "python/progress.hpp"
#include "python/reduction.hpp"
#include "python/supports.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

struct Words {
  std::string derivative_kind, mass_matrix, modes_method, backend;
};

ReduceOptions options_of(const Words& words, std::optional<int> modes, std::optional<int> rank, bool region_parts) {
  ReduceOptions options{.modes = modes, .rank = rank};
  options.derivative_kind = chosen(derivative_kinds, "derivative_kind", words.derivative_kind);
  options.mass_matrix = chosen(mass_matrices, "mass_matrix", words.mass_matrix);
  options.modes_method = chosen(modes_methods, "modes_method", words.modes_method);
  options.backend = device_of("backend", words.backend).backend;
  options.region_parts = region_parts;
  return options;
}

// None, a share or "automatic"; loads go with the last alone.
RelaxOptions relax_of(nb::handle relax, nb::handle loads, const Mesh& mesh) {
  RelaxOptions options;
  if (nb::isinstance<nb::str>(relax)) {
    options.automatic = nb::cast<std::string>(relax) == "automatic";
    if (!options.automatic) throw InputError("relax is None, a share from 0 to 1, or \"automatic\"");
  } else if (!relax.is_none()) {
    options.share = nb::cast<double>(relax);
  }
  if (loads.is_none()) return options;
  if (!options.automatic) throw InputError("relax_loads needs relax=\"automatic\"");
  options.loads = fields(loads, "relax_loads", 3 * mesh->vertex_count());
  return options;
}

nb::object reduce_mesh(const Mesh& mesh, nb::handle fixed_vertices, std::optional<int> modes, std::optional<int> rank,
                       bool derivatives, bool energy, const std::string& derivative_kind, double stiff_share,
                       bool mirror_planes, bool region_parts, nb::handle relax, nb::handle relax_loads,
                       const std::string& mass_matrix, const std::string& modes_method, const std::string& backend,
                       nb::object progress, bool report) {
  const Supports held = supports_from(fixed_vertices, "fixed_vertices");
  ReduceOptions options = options_of({derivative_kind, mass_matrix, modes_method, backend}, modes, rank, region_parts);
  options.derivatives = derivatives;
  options.stiff_share = stiff_share;
  options.mirror_planes = mirror_planes;
  options.relax = relax_of(relax, relax_loads, mesh);
  options.energy = energy;
  ReduceReport details;
  Model model = without_gil([&] {
    options.progress = progress_for(progress);
    ReducedModel made = reduce(*mesh, held, options, &details);
    made.created_by = "quartic.reduce (Python)";
    return share(std::move(made));
  });
  if (report) return nb::make_tuple(model, std::move(details));
  return nb::cast(std::move(model));
}

Model reduce_on_basis(const Mesh& mesh, nb::handle fixed_vertices, nb::handle basis, bool region_parts,
                      nb::handle relax, nb::handle relax_loads, const std::string& mass_matrix, nb::object progress) {
  const Supports held = supports_from(fixed_vertices, "fixed_vertices");
  const Matrix own = fields(basis, "basis", 3 * mesh->vertex_count());
  ReduceOptions options = options_of({"static", mass_matrix, "automatic", "cpu"}, {}, {}, region_parts);
  options.relax = relax_of(relax, relax_loads, mesh);
  return without_gil([&] {
    options.progress = progress_for(progress);
    return share(reduce_with_basis(*mesh, held, own.map(), options));
  });
}

}  // namespace

void bind_reduction(nb::module_& module) {
  nb::class_<ReduceReport>(module, "ReduceReport", "Details of a run of `reduce`.")
      .def_ro("residuals", &ReduceReport::residuals, "Of the linear modes.")
      .def_ro("stages", &ReduceReport::stages, "Name and seconds of each.")
      .def_ro("warnings", &ReduceReport::warnings)
      .def_ro("factorization", &ReduceReport::factorization, "The solver that factorised K.")
      .def_ro("mirror_planes", &ReduceReport::mirror_planes, "That were found.");
  const auto def_reduce = [&](const std::string& signature, const char* text) {
    module.def("reduce", &reduce_mesh, nb::arg("mesh"), nb::arg("fixed_vertices"), nb::kw_only(),
               nb::arg("modes") = nb::none(), nb::arg("rank") = nb::none(), nb::arg("derivatives") = true,
               nb::arg("energy") = true, nb::arg("derivative_kind") = "static", nb::arg("stiff_share") = 0.0,
               nb::arg("mirror_planes") = true, nb::arg("region_parts") = false, nb::arg("relax") = nb::none(),
               nb::arg("relax_loads") = nb::none(), nb::arg("mass_matrix") = "consistent",
               nb::arg("modes_method") = "automatic", nb::arg("backend") = "cpu", nb::arg("progress") = nb::none(),
               nb::arg("report") = false, nb::sig(signature.c_str()), text);
  };
  const std::string arguments =
      "def reduce(mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, *, modes: int | None = None, "
      "rank: int | None = None, derivatives: bool = True, energy: bool = True, derivative_kind: str = 'static', "
      "stiff_share: float = 0.0, mirror_planes: bool = True, region_parts: bool = False, relax: float | str | None = "
      "None, relax_loads: "
      "quartic._typing.ArrayLike | None = None, mass_matrix: str = "
      "'consistent', modes_method: "
      "str = 'automatic', "
      "backend: str = 'cpu', progress: quartic._typing.Progress | None = None, report: typing.Literal";
  // Once for each type of result, for type checkers; the first one takes all calls.
  def_reduce(
      arguments + "[False] = False) -> ReducedModel",
      "Mesh to reduced model, all stages. Without modes= and rank= 20 and 30, or fewer where the body has fewer; no "
      "fixed vertices: a free body. relax= is a share of strains to relax, 0.75 for any body and 0.9 to 0.95 for thin "
      "ones, or \"automatic\", calibrated with relax_loads= first, forces (k, n, 3) [N]. stiff_share= is the share of "
      "the basis that is chosen by energy; mirror_planes= makes the basis even or odd in planes that mirror the body, "
      "which saves half of a step's work or more. progress(stage, "
      "fraction) may raise to cancel; report=True returns (model, "
      "report).");
  def_reduce(arguments + "[True]) -> tuple[ReducedModel, ReduceReport]", "With details of the run.");
  module.def("reduce_with_basis", &reduce_on_basis, nb::arg("mesh"), nb::arg("fixed_vertices"), nb::arg("basis"),
             nb::kw_only(), nb::arg("region_parts") = false, nb::arg("relax") = nb::none(),
             nb::arg("relax_loads") = nb::none(), nb::arg("mass_matrix") = "consistent",
             nb::arg("progress") = nb::none(),
             nb::sig("def reduce_with_basis(mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, "
                     "basis: quartic._typing.ArrayLike, *, region_parts: bool = False, relax: float | str | None = "
                     "None, relax_loads: quartic._typing.ArrayLike | None = None, mass_matrix: str = 'consistent', "
                     "progress: quartic._typing.Progress | None = None) -> "
                     "ReducedModel"),
             "A model on the caller's own fields, (k, n, 3) float64.");
}

}  // namespace quartic::python
