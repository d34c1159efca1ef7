// Bodies in which every vertex moves.
#include <nanobind/stl/array.h>

#include <array>
#include <span>
#include <utility>

#include "python/bindings.hpp"
#include "python/loads/heating.hpp"
#include "python/reduction.hpp"
#include "python/supports.hpp"
#include "python/unreduced/unreduced.hpp"
#include "quartic/error.hpp"
#include "quartic/unreduced.hpp"

namespace quartic::python {
namespace {

/// Kept by Python's object and by all views of its arrays; holds no Python object. One call at a time.
struct LockedBody {
  UnreducedBody body;
  std::mutex mutex = {};
};

struct BodyObject {
  std::shared_ptr<LockedBody> shared;
};

constexpr Choice<Integrator, 2> integrators{
    {{"newmark", Integrator::newmark}, {"backward-euler", Integrator::backward_euler}}};

template <class F>
auto alone(const BodyObject& object, F f) {
  return without_gil([&] {
    const std::lock_guard lock(object.shared->mutex);
    return f(object.shared->body);
  });
}

void construct(BodyObject* self, const Mesh& mesh, nb::handle fixed_vertices, const std::string& integrator,
               double newmark_beta, double newmark_gamma, double rayleigh_mass, double rayleigh_stiffness,
               double strain_damping, int newton_iterations, double newton_tolerance, const std::string& mass_matrix,
               nb::handle chambers, const std::string& factorization, nb::handle temperature, nb::handle expansion) {
  UnreducedOptions options{.integrator = chosen(integrators, "integrator", integrator),
                           .newmark_beta = newmark_beta,
                           .newmark_gamma = newmark_gamma,
                           .rayleigh_mass = rayleigh_mass,
                           .rayleigh_stiffness = rayleigh_stiffness,
                           .strain_damping = strain_damping,
                           .newton_iterations = newton_iterations,
                           .newton_tolerance = newton_tolerance};
  options.mass_matrix = chosen(mass_matrices, "mass_matrix", mass_matrix);
  options.chambers = chambers_from(chambers);
  options.factorization.method = chosen(factorization_methods, "factorization", factorization);
  options.heating = optional_heating(temperature, expansion);
  const Supports held = supports_from(fixed_vertices, "fixed_vertices");
  auto shared =
      without_gil([&] { return std::shared_ptr<LockedBody>(new LockedBody{UnreducedBody(*mesh, held, options)}); });
  new (self) BodyObject{std::move(shared)};
}

// The body's own memory.
Array view(const BodyObject& object, std::span<double> numbers) {
  return {object.shared, numbers.data(), DType::float64, {std::ssize(numbers) / 3, 3}, {3, 1}, false};
}

void bind_state(nb::class_<BodyObject>& type) {
  type.def_prop_ro(
          "displacement", [](const BodyObject& b) { return view(b, b.shared->body.displacement()); },
          "u [m], (n, 3): the body's own memory, as the next three.")
      .def_prop_ro("velocity", [](const BodyObject& b) { return view(b, b.shared->body.velocity()); })
      .def_prop_ro("acceleration", [](const BodyObject& b) { return view(b, b.shared->body.acceleration()); })
      .def_prop_ro(
          "force", [](const BodyObject& b) { return view(b, b.shared->body.force()); },
          "External force on each vertex [N], constant until it is changed.")
      .def_prop_ro("status", [](const BodyObject& b) { return alone(b, [](auto& body) { return body.status(); }); })
      .def("reset_status", [](const BodyObject& b) { alone(b, [](auto& body) { body.reset_status(); }); })
      .def(
          "elastic_energy",
          [](const BodyObject& b) { return alone(b, [](auto& body) { return body.elastic_energy(); }); }, "[J]")
      .def(
          "kinetic_energy",
          [](const BodyObject& b) { return alone(b, [](auto& body) { return body.kinetic_energy(); }); }, "[J]")
      .def(
          "set_pressure",
          [](const BodyObject& b, double pressure, int chamber) {
            alone(b, [&](auto& body) { body.set_pressure(pressure, chamber); });
          },
          nb::arg("pressure"), nb::arg("chamber") = 0, "In a chamber [Pa] above that outside, from the next step on.")
      .def(
          "pressure",
          [](const BodyObject& b, int chamber) { return alone(b, [&](auto& body) { return body.pressure(chamber); }); },
          nb::arg("chamber") = 0)
      .def(
          "enclosed_volume",
          [](const BodyObject& b, int chamber) {
            return alone(b, [&](auto& body) { return body.enclosed_volume(chamber); });
          },
          nb::arg("chamber") = 0, "Of a chamber now [m^3].");
}

}  // namespace

std::vector<Chamber> chambers_from(nb::handle object) {
  std::vector<Chamber> chambers;
  if (object.is_none()) return chambers;
  for (const nb::handle item : object) {
    if (!nb::isinstance<Shared<Chamber>>(item)) throw InputError("chambers are quartic.Chambers, of find_chamber");
    chambers.push_back(*nb::cast<const Shared<Chamber>&>(item));
  }
  return chambers;
}

Heating optional_heating(nb::handle temperature, nb::handle expansion) {
  if (temperature.is_none() && expansion.is_none()) return {};
  return heating_from(temperature, expansion);
}

void bind_unreduced(nb::module_& module) {
  const UnreducedOptions defaults;
  nb::class_<BodyObject> type(module, "UnreducedBody",
                              "A body of which every vertex moves: what reduced ones are compared with.");
  type.def("__init__", &construct, nb::arg("mesh"), nb::arg("fixed_vertices"), nb::kw_only(),
           nb::arg("integrator") = "newmark", nb::arg("newmark_beta") = defaults.newmark_beta,
           nb::arg("newmark_gamma") = defaults.newmark_gamma, nb::arg("rayleigh_mass") = 0.0,
           nb::arg("rayleigh_stiffness") = 0.0, nb::arg("strain_damping") = 0.0,
           nb::arg("newton_iterations") = defaults.newton_iterations, nb::arg("newton_tolerance") = 0.0,
           nb::arg("mass_matrix") = "consistent", nb::arg("chambers") = nb::none(),
           nb::arg("factorization") = "automatic", nb::arg("temperature") = nb::none(),
           nb::arg("expansion") = nb::none(),
           nb::sig("def __init__(self, mesh: VolumeMesh, fixed_vertices: Supports | quartic._typing.Indices, *, "
                   "integrator: str = 'newmark', newmark_beta: float = 0.25, newmark_gamma: float = 0.5, "
                   "rayleigh_mass: float = 0.0, rayleigh_stiffness: float = 0.0, strain_damping: float = 0.0, "
                   "newton_iterations: int = 1, "
                   "newton_tolerance: float = 0.0, mass_matrix: str = 'consistent', chambers: "
                   "collections.abc.Sequence[Chamber] | None = None, factorization: str = 'automatic', temperature: "
                   "float | quartic._typing.ArrayLike | None = None, expansion: float | quartic._typing.ArrayLike | "
                   "None = None) -> None"),
           "At rest. integrator: newmark or backward-euler; factorization: automatic, mumps or eigen; temperature and "
           "expansion as for heated_energy.")
      .def(
          "step",
          [](const BodyObject& b, double dt, int substeps) { alone(b, [&](auto& body) { body.step(dt, substeps); }); },
          nb::arg("dt"), nb::arg("substeps") = 1, "Advances by `substeps` steps of dt / substeps [s].")
      .def_prop_ro(
          "mass",
          [](const BodyObject& b) {
            return Sparse{std::shared_ptr<const SparseMatrix>(b.shared, &b.shared->body.mass())};
          },
          "M [kg], (3n, 3n).")
      .def_prop_ro("factorization_name",
                   [](const BodyObject& b) { return std::string(b.shared->body.factorization_name()); });
  bind_state(type);
  module.def(
      "gravity_force",
      [](const Sparse& mass, const std::array<double, 3>& acceleration) {
        return vertex_array(gravity_force(*mass, acceleration));
      },
      nb::arg("mass"), nb::arg("acceleration"),
      nb::sig("def gravity_force(mass: SparseMatrix, acceleration: collections.abc.Sequence[float]) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "The force of a uniform acceleration [m/s^2] on each vertex, (n, 3) [N].");
  bind_statics(module);
}

}  // namespace quartic::python
