// Unreduced finite elements: mass, energy, internal force, stiffness.
#include <array>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/matrices/matrices.hpp"
#include "python/reduction.hpp"
#include "python/supports.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"

namespace quartic::python {
namespace {

constexpr const char* displaced = "displacement";

// One call at a time per object.
struct Elements {
  std::unique_ptr<InternalForces> forces;
  Mesh mesh;
  std::mutex mutex;

  template <class F>
  auto at(nb::handle displacement, F f) {
    const std::vector<double> u = vertex_numbers(displacement, displaced, mesh);
    return without_gil([&] {
      const std::lock_guard lock(mutex);
      return f(*forces, u);
    });
  }
};

std::vector<double> force_at(InternalForces& forces, const std::vector<double>& u) {
  std::vector<double> force(u.size());
  forces.force(u, force);
  return force;
}

Sparse stiffness_at(InternalForces& forces, const std::vector<double>& u) {
  SparseMatrix stiffness = forces.zero_stiffness();
  forces.stiffness(u, stiffness);
  return share(std::move(stiffness));
}

Sparse viscous_stiffness_at(InternalForces& forces, const std::vector<double>& u) {
  SparseMatrix d = forces.zero_stiffness();
  forces.viscous_stiffness(u, d);
  return share(std::move(d));
}

std::vector<std::array<int, 2>> pairs_from(nb::handle object) {
  Array array = import_array(object, "pairs");
  require(array, "pairs", array.dtype, {-1, 2});
  if (!array.is_contiguous()) array = copy_of(array);
  array.shape = {array.size()};
  array.strides = {1};
  const std::vector<std::int32_t> numbers = indices(nb::cast(array), "pairs");
  std::vector<std::array<int, 2>> pairs;
  for (std::size_t n = 0; n < numbers.size(); n += 2) pairs.push_back({numbers[n], numbers[n + 1]});
  return pairs;
}

nb::object hessian(const Mesh& mesh, nb::handle given, nb::handle pairs, const std::string& backend) {
  const Matrix own = fields(given, "fields", 3 * mesh->vertex_count());
  const std::vector<std::array<int, 2>> wanted = pairs_from(pairs);
  const Backend where = device_of("backend", backend).backend;
  return fields_array(without_gil([&] { return force_hessian(*mesh, own.map(), wanted, where); }));
}

void bind_internal_forces(nb::module_& module) {
  const auto displacement = nb::arg(displaced);
  nb::class_<Elements>(module, "InternalForces",
                       "Energy, internal force and stiffness of one mesh, for repeated evaluation at displacements "
                       "(n, 3) of float64 [m].")
      .def(
          "__init__",
          [](Elements* self, const Mesh& mesh) {
            auto forces = without_gil([&] { return std::make_unique<InternalForces>(*mesh); });
            new (self) Elements{std::move(forces), mesh, {}};
          },
          nb::arg("mesh"))
      .def(
          "energy",
          [](Elements& e, nb::handle u) {
            return e.at(u, [](auto& forces, const auto& own) { return forces.energy(own); });
          },
          displacement, nb::sig("def energy(self, displacement: quartic._typing.ArrayLike) -> float"), "[J]")
      .def(
          "force", [](Elements& e, nb::handle u) { return vertex_array(e.at(u, force_at)); }, displacement,
          nb::sig("def force(self, displacement: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
          "R(u) [N], (n, 3).")
      .def(
          "stiffness", [](Elements& e, nb::handle u) { return e.at(u, stiffness_at); }, displacement,
          nb::sig("def stiffness(self, displacement: quartic._typing.ArrayLike) -> SparseMatrix"), "K(u) [N/m].")
      .def(
          "viscous_stiffness", [](Elements& e, nb::handle u) { return e.at(u, viscous_stiffness_at); }, displacement,
          nb::sig("def viscous_stiffness(self, displacement: quartic._typing.ArrayLike) -> SparseMatrix"),
          "D(u) [N/m] of damping by strain rates: K without its geometric part.");
}

void bind_values(nb::module_& module) {
  module.def(
      "internal_force",
      [](const Mesh& mesh, nb::handle u) {
        const std::vector<double> own = vertex_numbers(u, displaced, mesh);
        return vertex_array(without_gil([&] { return internal_force(*mesh, own); }));
      },
      nb::arg("mesh"), nb::arg(displaced),
      nb::sig("def internal_force(mesh: VolumeMesh, displacement: quartic._typing.ArrayLike) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "Elastic force R(u) on all vertices, (n, 3) [N].");
  module.def(
      "strain_energy",
      [](const Mesh& mesh, nb::handle u) {
        const std::vector<double> own = vertex_numbers(u, displaced, mesh);
        return without_gil([&] { return strain_energy(*mesh, own); });
      },
      nb::arg("mesh"), nb::arg(displaced),
      nb::sig("def strain_energy(mesh: VolumeMesh, displacement: quartic._typing.ArrayLike) -> float"),
      "Elastic energy [J] at displacements (n, 3).");
  module.def("force_hessian", &hessian, nb::arg("mesh"), nb::arg("fields"), nb::arg("pairs"), nb::kw_only(),
             nb::arg("backend") = "cpu",
             nb::sig("def force_hessian(mesh: VolumeMesh, fields: quartic._typing.ArrayLike, pairs: "
                     "quartic._typing.ArrayLike, *, backend: str = 'cpu') -> numpy.typing.NDArray[numpy.float64]"),
             "The second derivative of R at rest along fields[i] and fields[j] for each pair (i, j), (pairs, n, 3).");
}

}  // namespace

void bind_elements(nb::module_& module) {
  module.def(
      "mass_matrix",
      [](const Mesh& mesh, const std::string& kind, const std::string& backend) {
        const MassMatrix wanted = chosen(mass_matrices, "kind", kind);
        const Backend where = device_of("backend", backend).backend;
        return without_gil([&] { return share(mass_matrix(*mesh, wanted, where)); });
      },
      nb::arg("mesh"), nb::arg("kind") = "consistent", nb::kw_only(), nb::arg("backend") = "cpu",
      "M [kg], (3n, 3n): consistent, or lumped.");
  module.def(
      "stiffness_matrix",
      [](const Mesh& mesh, const std::string& backend) {
        const Backend where = device_of("backend", backend).backend;
        return without_gil([&] { return share(stiffness_matrix(*mesh, where)); });
      },
      nb::arg("mesh"), nb::kw_only(), nb::arg("backend") = "cpu", "K at rest [N/m], (3n, 3n).");
  module.def(
      "tangent_stiffness",
      [](const Mesh& mesh, nb::handle u) {
        const std::vector<double> own = vertex_numbers(u, displaced, mesh);
        return without_gil([&] { return share(tangent_stiffness(*mesh, own)); });
      },
      nb::arg("mesh"), nb::arg(displaced),
      nb::sig("def tangent_stiffness(mesh: VolumeMesh, displacement: quartic._typing.ArrayLike) -> SparseMatrix"),
      "K at displacements (n, 3), (3n, 3n).");
  module.def(
      "rigid_modes",
      [](const Mesh& mesh, const Sparse& mass, nb::handle fixed_vertices) {
        const Supports held = supports_from(fixed_vertices, "fixed_vertices");
        return fields_array(without_gil([&] { return rigid_modes(*mesh, *mass, held); }));
      },
      nb::arg("mesh"), nb::arg("mass"), nb::arg("fixed_vertices"),
      nb::sig("def rigid_modes(mesh: VolumeMesh, mass: SparseMatrix, fixed_vertices: Supports | "
              "quartic._typing.Indices) -> numpy.typing.NDArray[numpy.float64]"),
      "Infinitesimal rigid motions that the supports leave, mass-orthonormal, (m, n, 3).");
  bind_values(module);
  bind_internal_forces(module);
}

}  // namespace quartic::python
