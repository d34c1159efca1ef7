// What holds a body and what hangs on it; participation factors and damping.
#include "python/supports.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/energy.hpp"
#include "quartic/attachments.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/participation.hpp"

namespace quartic::python {
namespace {

using Vector = std::array<double, 3>;
using Terms = std::vector<std::pair<std::int32_t, Vector>>;
using Constraints = std::vector<Constraint>;

std::vector<DisplacementTerm> terms_from(const Terms& terms) {
  std::vector<DisplacementTerm> result;
  for (const auto& [vertex, factors] : terms) result.push_back({vertex, factors});
  return result;
}

Terms terms_of(const std::vector<DisplacementTerm>& terms) {
  Terms result;
  for (const DisplacementTerm& term : terms) result.emplace_back(term.vertex, term.factors);
  return result;
}

Mesh attach(const Mesh& mesh, const Constraints& joints, const std::vector<PointMass>& masses,
            const std::vector<Spring>& springs) {
  VolumeMesh changed = *mesh;
  changed.joints.insert(changed.joints.end(), joints.begin(), joints.end());
  changed.masses.insert(changed.masses.end(), masses.begin(), masses.end());
  changed.springs.insert(changed.springs.end(), springs.begin(), springs.end());
  return share(std::move(changed));
}

// (rows, columns, factors) of T's entries, and its shape, as scipy.sparse.coo_array takes them.
nb::tuple map_of(const Mesh& mesh, nb::handle supports) {
  const Supports held = supports_from(supports, "supports");
  SparseMatrix t = without_gil([&] { return freedom_map(*mesh, held); });
  std::vector<std::int32_t> rows;
  for (std::int64_t row = 0; row < t.rows; ++row)
    rows.insert(rows.end(),
                static_cast<std::size_t>(t.row_offsets[static_cast<std::size_t>(row) + 1] -
                                         t.row_offsets[static_cast<std::size_t>(row)]),
                static_cast<std::int32_t>(row));
  const std::int64_t count = t.nonzeros();
  return nb::make_tuple(nb::make_tuple(to_numpy(owning_array(std::move(t.values), {count})),
                                       nb::make_tuple(to_numpy(owning_array(std::move(rows), {count})),
                                                      to_numpy(owning_array(std::move(t.columns), {count})))),
                        nb::make_tuple(t.rows, t.cols));
}

nb::object factors_of(const Model& model) {
  Matrix factors = without_gil(
      [&] { return participation_factors(mass_matrix(model->mesh, model->mass_matrix), model->linear_modes.map()); });
  std::vector<double> rows;
  for (std::int64_t j = 0; j < factors.rows; ++j)
    for (std::int64_t axis = 0; axis < 3; ++axis) rows.push_back(factors(j, axis));
  return to_numpy(owning_array(std::move(rows), {factors.rows, 3}));
}

void bind_types(nb::module_& module) {
  nb::class_<Constraint>(module, "Constraint", "A linear equation between displacements: the sum of its terms is 0.")
      .def(
          "__init__",
          [](Constraint* self, const Terms& terms, const std::string& origin) {
            new (self) Constraint{terms_from(terms), origin};
          },
          nb::arg("terms"), nb::arg("origin") = "a constraint",
          "terms: (vertex, (a, b, c)), a u_x + b u_y + c u_z each.")
      .def_prop_ro("terms", [](const Constraint& c) { return terms_of(c.terms); })
      .def_ro("origin", &Constraint::origin);
  nb::class_<Supports>(module, "Supports", "What holds a body: in place of a list of fixed vertices.")
      .def(
          "__init__",
          [](Supports* self, nb::handle fixed_vertices, const Constraints& constraints) {
            new (self) Supports(indices(fixed_vertices, "fixed_vertices"), constraints);
          },
          nb::arg("fixed_vertices") = nb::tuple(), nb::arg("constraints") = nb::list(),
          nb::sig("def __init__(self, fixed_vertices: quartic._typing.Indices = (), constraints: "
                  "collections.abc.Sequence[Constraint] = []) -> None"))
      .def_ro("constraints", &Supports::constraints);
  nb::class_<PointMass>(module, "PointMass", "A mass [kg] at a vertex, which moves with it.")
      .def(nb::init<std::int32_t, double>(), nb::arg("vertex"), nb::arg("mass"))
      .def_ro("vertex", &PointMass::vertex)
      .def_ro("mass", &PointMass::mass);
  nb::class_<Spring>(module, "Spring", "A spring of energy stiffness / 2 s^2, s being the sum of its terms.")
      .def(
          "__init__",
          [](Spring* self, const Terms& terms, double stiffness) {
            new (self) Spring{terms_from(terms), stiffness};
          },
          nb::arg("terms"), nb::arg("stiffness"), "terms as of Constraint; stiffness [N/m].")
      .def_prop_ro("terms", [](const Spring& s) { return terms_of(s.terms); })
      .def_ro("stiffness", &Spring::stiffness);
  nb::class_<RayleighDamping>(module, "RayleighDamping", "C = mass M + stiffness K.")
      .def_ro("mass", &RayleighDamping::mass, "[1/s].")
      .def_ro("stiffness", &RayleighDamping::stiffness, "[s].")
      .def("ratio", &damping_ratio, nb::arg("frequency"), "Of a mode of this frequency [Hz].");
}

}  // namespace

Supports supports_from(nb::handle object, const std::string& name) {
  Supports supports;
  if (nb::try_cast(object, supports)) return supports;
  return Supports(indices(object, name));
}

void bind_supports(nb::module_& module) {
  bind_types(module);
  const char* const origin = "a support";
  module.def(
      "hold_along",
      [](nb::handle vertices, const Vector& direction, const std::string& from) {
        return hold_along(indices(vertices, "vertices"), direction, from);
      },
      nb::arg("vertices"), nb::arg("direction"), nb::arg("origin") = origin,
      nb::sig("def hold_along(vertices: quartic._typing.Indices, direction: collections.abc.Sequence[float], origin: "
              "str = 'a support') -> list[Constraint]"),
      "Holds vertices along a direction of any length.");
  module.def(
      "hold_normals",
      [](const Mesh& mesh, nb::handle vertices, const std::string& from) {
        return hold_normals(*mesh, indices(vertices, "vertices"), from);
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("origin") = origin,
      nb::sig("def hold_normals(mesh: VolumeMesh, vertices: quartic._typing.Indices, origin: str = 'a support') -> "
              "list[Constraint]"),
      "Holds vertices along the normals of the boundary faces that they make up.");
  module.def(
      "hold_mean",
      [](nb::handle vertices, const Vector& direction, const std::string& from) {
        return hold_mean(indices(vertices, "vertices"), direction, from);
      },
      nb::arg("vertices"), nb::arg("direction"), nb::arg("origin") = origin,
      nb::sig(
          "def hold_mean(vertices: quartic._typing.Indices, direction: collections.abc.Sequence[float], origin: str "
          "= 'a support') -> Constraint"),
      "Holds the mean displacement of vertices along a direction.");
  module.def(
      "link_rigidly",
      [](const Mesh& mesh, nb::handle vertices, const std::string& from) {
        return link_rigidly(*mesh, indices(vertices, "vertices"), from);
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("origin") = "a rigid link",
      nb::sig("def link_rigidly(mesh: VolumeMesh, vertices: quartic._typing.Indices, origin: str = 'a rigid link') -> "
              "list[Constraint]"),
      "Vertices that move as one infinitesimally rigid body: joints.");
  module.def(
      "tie_vertices",
      [](const Mesh& mesh, nb::handle vertices, nb::handle surface, double largest_gap, const std::string& from) {
        return tie_vertices(*mesh, indices(vertices, "vertices"), indices(surface, "surface"), largest_gap, from);
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("surface"), nb::arg("largest_gap"), nb::arg("origin") = "a tie",
      nb::sig("def tie_vertices(mesh: VolumeMesh, vertices: quartic._typing.Indices, surface: quartic._typing.Indices, "
              "largest_gap: float, origin: str = 'a tie') -> list[Constraint]"),
      "Vertices that follow the nearest points of a surface of the mesh: joints.");
  module.def(
      "spread_mass",
      [](const Mesh& mesh, nb::handle vertices, double mass) {
        return spread_mass(*mesh, indices(vertices, "vertices"), mass);
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("mass"),
      nb::sig("def spread_mass(mesh: VolumeMesh, vertices: quartic._typing.Indices, mass: float) -> list[PointMass]"),
      "A mass [kg] over a set of vertices, by area on faces.");
  module.def(
      "springs_to_ground",
      [](const Mesh& mesh, nb::handle vertices, double stiffness) {
        return springs_to_ground(*mesh, indices(vertices, "vertices"), stiffness);
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("stiffness"),
      nb::sig("def springs_to_ground(mesh: VolumeMesh, vertices: quartic._typing.Indices, stiffness: float) -> "
              "list[Spring]"),
      "Springs of a set of vertices to the ground, together so stiff along each axis [N/m].");
  module.def(
      "spread_mass_per_area",
      [](const Mesh& mesh, nb::handle vertices, double mass_per_area) {
        return spread_mass_per_area(*mesh, indices(vertices, "vertices"), mass_per_area);
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("mass_per_area"),
      nb::sig("def spread_mass_per_area(mesh: VolumeMesh, vertices: quartic._typing.Indices, mass_per_area: float) -> "
              "list[PointMass]"),
      "A mass per area [kg/m^2] on the boundary faces that vertices make up.");
  module.def(
      "springs_between",
      [](const Mesh& mesh, nb::handle a, nb::handle b, double stiffness) {
        return springs_between(*mesh, indices(a, "a"), indices(b, "b"), stiffness);
      },
      nb::arg("mesh"), nb::arg("a"), nb::arg("b"), nb::arg("stiffness"),
      nb::sig("def springs_between(mesh: VolumeMesh, a: quartic._typing.Indices, b: quartic._typing.Indices, "
              "stiffness: float) -> list[Spring]"),
      "Springs between the means of two sets of vertices, so stiff along each axis [N/m].");
  module.def(
      "mean_rotation",
      [](const Mesh& mesh, nb::handle vertices, const Vector& axis) {
        return terms_of(mean_rotation(*mesh, indices(vertices, "vertices"), axis));
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("axis"),
      nb::sig("def mean_rotation(mesh: VolumeMesh, vertices: quartic._typing.Indices, axis: "
              "collections.abc.Sequence[float]) -> list[tuple[int, list[float]]]"),
      "Terms of the mean rotation of vertices about an axis [rad], for a torsional Spring.");
  module.def(
      "with_rigid_mass",
      [](const Mesh& mesh, nb::handle vertices, double mass, const Vector& centre, const std::array<double, 6>& inertia,
         const std::string& link) {
        if (link != "rigid" && link != "mean") throw InputError("link is 'rigid' or 'mean', not '" + link + "'");
        VolumeMesh changed = *mesh;
        attach_rigid_mass(changed, indices(vertices, "vertices"), {mass, centre, inertia},
                          link == "rigid" ? Link::rigid : Link::mean);
        return share(std::move(changed));
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("mass"), nb::arg("centre"), nb::kw_only(),
      nb::arg("inertia") = std::array<double, 6>{}, nb::arg("link") = "rigid",
      nb::sig("def with_rigid_mass(mesh: VolumeMesh, vertices: quartic._typing.Indices, mass: float, centre: "
              "collections.abc.Sequence[float], *, inertia: collections.abc.Sequence[float] = (0, 0, 0, 0, 0, 0), "
              "link: str = 'rigid') -> VolumeMesh"),
      "The mesh with a rigid body that moves with vertices, rigidly or in the mean: mass [kg], mass centre [m], "
      "inertia "
      "about it [kg m^2]: xx, yy, zz, xy, xz, yz.");
  module.def(
      "with_attachments", &attach, nb::arg("mesh"), nb::kw_only(), nb::arg("joints") = nb::list(),
      nb::arg("masses") = nb::list(), nb::arg("springs") = nb::list(),
      nb::sig("def with_attachments(mesh: VolumeMesh, *, joints: collections.abc.Sequence[Constraint] = [], "
              "masses: collections.abc.Sequence[PointMass] = [], springs: collections.abc.Sequence[Spring] = []) "
              "-> VolumeMesh"),
      "The mesh with these joints, masses and springs besides its own.");
  module.def("freedom_map", &map_of, nb::arg("mesh"), nb::arg("supports"),
             nb::sig("def freedom_map(mesh: VolumeMesh, supports: Supports | quartic._typing.Indices) -> "
                     "tuple[tuple[numpy.typing.NDArray[numpy.float64], tuple[numpy.typing.NDArray[numpy.int32], "
                     "numpy.typing.NDArray[numpy.int32]]], tuple[int, int]]"),
             "T of u = T x as ((factors, (rows, columns)), shape), which scipy.sparse.coo_array takes.");
  module.def("participation_factors", &factors_of, nb::arg("model"),
             nb::sig("def participation_factors(model: ReducedModel) -> numpy.typing.NDArray[numpy.float64]"),
             "Of the model's linear modes, (k, 3); their squares are effective masses [kg].");
  module.def(
      "rayleigh_damping",
      [](double f1, double ratio1, double f2, double ratio2) {
        return rayleigh_damping({f1, ratio1}, {f2, ratio2});
      },
      nb::arg("frequency1"), nb::arg("ratio1"), nb::arg("frequency2"), nb::arg("ratio2"),
      "Rayleigh's numbers from damping ratios at two frequencies [Hz].");
  module.def(
      "rayleigh_damping",
      [](const std::vector<std::pair<double, double>>& times) {
        std::vector<DecayTime> pairs;
        for (const auto& [frequency, t60] : times) pairs.push_back({frequency, t60});
        return rayleigh_damping(pairs);
      },
      nb::arg("times"), "The same from (frequency [Hz], T60 [s]) pairs: after T60 an amplitude is a thousandth.");
  module.def(
      "modal_damping",
      [](const Energy& energy, nb::handle ratios, int driven) {
        const std::vector<double> numbers = doubles(ratios, "ratios", {-1});
        Matrix damping = without_gil([&] { return modal_damping(*energy, numbers, driven); });
        return to_numpy(owning_array(std::move(damping.values), {damping.rows, damping.cols}));
      },
      nb::arg("energy"), nb::arg("ratios"), nb::kw_only(), nb::arg("driven") = 0,
      nb::sig("def modal_damping(energy: QuarticEnergy, ratios: quartic._typing.ArrayLike, *, driven: int = 0) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "D for BodyGroup(damping=...): damping ratios of the natural modes, the last one for all further, (r, r) [1/s].");
}

}  // namespace quartic::python
