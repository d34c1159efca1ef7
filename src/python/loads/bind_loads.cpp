// Loads on faces, their resultants, heat, and the acceleration of a base.
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/energy.hpp"
#include "python/loads/heating.hpp"
#include "python/shared.hpp"
#include "quartic/driven.hpp"
#include "quartic/error.hpp"
#include "quartic/loads.hpp"
#include "quartic/thermal.hpp"

namespace quartic::python {
namespace {

using Vector = std::array<double, 3>;

// Forces on all vertices, (n, 3).
nb::object forces_of(const VolumeMesh& mesh, const std::vector<PointForce>& forces) {
  const std::int64_t n = mesh.vertex_count();
  return to_numpy(owning_array(force_vector(forces, n), {n, 3}));
}

nb::tuple loads_from(const std::filesystem::path& path, const Mesh& mesh) {
  std::vector<std::string> warnings;
  const Loads loads = without_gil([&] { return read_loads(path, *mesh, warnings); });
  nb::object heat = nb::none();
  if (const auto& [temperature, expansion] = loads.heating; !loads.heating.empty())
    heat = nb::make_tuple(to_numpy(owning_array(temperature, {std::ssize(temperature)})),
                          to_numpy(owning_array(expansion, {std::ssize(expansion)})));
  return nb::make_tuple(forces_of(*mesh, loads.forces),
                        to_numpy(owning_array(std::vector<double>(loads.gravity.begin(), loads.gravity.end()), {3})),
                        heat, warnings);
}

// Of (vertices, direction) pairs.
nb::tuple driven_model(const Model& model, const nb::sequence& pairs) {
  std::vector<DrivenSet> sets;
  for (const nb::handle item : pairs) {
    Vector direction{};
    if (!nb::isinstance<nb::tuple>(item) || nb::len(item) != 2 || !nb::try_cast(nb::object(item[1]), direction))
      throw InputError("a moved set is (vertices, (x, y, z))");
    sets.push_back({indices(item[0], "vertices"), direction, "moved set " + std::to_string(sets.size())});
  }
  DrivenModel driven = without_gil([&] { return drive_sets(*model, sets); });
  const Matrix& c = driven.coordinates;
  std::vector<double> rows;
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j) rows.push_back(c(i, j));
  nb::object coordinates = to_numpy(owning_array(std::move(rows), {c.rows, c.cols}));
  return nb::make_tuple(share(std::move(driven.model)), coordinates);
}

BaseAcceleration base_from(nb::handle times, nb::handle accelerations) {
  BaseAcceleration base;
  base.times = doubles(times, "times", {-1});
  const std::vector<double> numbers = doubles(accelerations, "accelerations", {std::ssize(base.times), 3});
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    base.accelerations.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  for (std::size_t i = 1; i < base.times.size(); ++i)
    if (!(base.times[i - 1] < base.times[i])) throw InputError("times must ascend");
  return base;
}

// A number for all, or an array of one each.
std::vector<double> numbers_from(nb::handle object, const std::string& name) {
  double number = 0;
  if (nb::try_cast(object, number)) return {number};
  return doubles(object, name, {-1});
}

void bind_heat(nb::module_& module) {
  module.def(
      "heated_energy",
      [](const Model& model, nb::handle temperature, nb::handle expansion) {
        if (model->relaxation && model->relaxation->share > 0)
          throw InputError("relaxed strains know no heat: take a model that isn't relaxed");
        const Heating heating = heating_from(temperature, expansion);
        return without_gil(
            [&] { return share(heated_energy(model->energy, model->mesh, model->basis.map(), heating)); });
      },
      nb::arg("model"), nb::arg("temperature"), nb::arg("expansion"),
      nb::sig(
          "def heated_energy(model: ReducedModel, temperature: float | quartic._typing.ArrayLike, expansion: float | "
          "quartic._typing.ArrayLike) -> QuarticEnergy"),
      "The energy of a body that is warmer by temperature [K], a number or one per vertex, with an expansion [1/K], a "
      "number or one per region. A batch that is made of it has no chambers.");
  module.def(
      "thermal_force",
      [](const Mesh& mesh, nb::handle displacement, nb::handle temperature, nb::handle expansion) {
        const std::int64_t n = mesh->vertex_count();
        const std::vector<double> u = doubles(displacement, "displacement", {n, 3});
        return to_numpy(owning_array(thermal_force(*mesh, u, heating_from(temperature, expansion)), {n, 3}));
      },
      nb::arg("mesh"), nb::arg("displacement"), nb::arg("temperature"), nb::arg("expansion"),
      nb::sig("def thermal_force(mesh: VolumeMesh, displacement: quartic._typing.ArrayLike, temperature: float | "
              "quartic._typing.ArrayLike, expansion: float | quartic._typing.ArrayLike) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "What heat adds to the internal force on all vertices, (n, 3) [N].");
}

void bind_base(nb::module_& module) {
  nb::class_<BaseAcceleration>(module, "BaseAcceleration",
                               "The acceleration of a base over time: linear between samples, zero outside of them.")
      .def(
          "__init__",
          [](BaseAcceleration* self, nb::handle times, nb::handle accelerations) {
            new (self) BaseAcceleration(base_from(times, accelerations));
          },
          nb::arg("times"), nb::arg("accelerations"),
          nb::sig("def __init__(self, times: quartic._typing.ArrayLike, accelerations: quartic._typing.ArrayLike) -> "
                  "None"),
          "times [s] ascending, (samples,); accelerations [m/s^2], (samples, 3); float64.")
      .def_ro("times", &BaseAcceleration::times)
      .def_ro("accelerations", &BaseAcceleration::accelerations)
      .def("at", &acceleration_at, nb::arg("time"), "The acceleration at a time [s].");
  module.def(
      "read_base_acceleration",
      [](const std::filesystem::path& path) { return without_gil([&] { return read_base_acceleration(path); }); },
      nb::arg("path"), "Reads text lines time,ax,ay,az [s, m/s^2].");
}

}  // namespace

Heating heating_from(nb::handle temperature, nb::handle expansion) {
  return {numbers_from(temperature, "temperature"), numbers_from(expansion, "expansion")};
}

void bind_loads(nb::module_& module) {
  module.def(
      "spread_force",
      [](const Mesh& mesh, nb::handle vertices, const Vector& force) {
        return forces_of(*mesh, spread_force(*mesh, indices(vertices, "vertices"), force));
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("force"),
      nb::sig("def spread_force(mesh: VolumeMesh, vertices: quartic._typing.Indices, force: "
              "collections.abc.Sequence[float]) -> numpy.typing.NDArray[numpy.float64]"),
      "A force [N] over a set of vertices, by area on faces: forces on all vertices, (n, 3).");
  module.def(
      "traction_forces",
      [](const Mesh& mesh, nb::handle vertices, const Vector& traction) {
        return forces_of(*mesh, traction_forces(*mesh, indices(vertices, "vertices"), traction));
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("traction"),
      nb::sig("def traction_forces(mesh: VolumeMesh, vertices: quartic._typing.Indices, traction: "
              "collections.abc.Sequence[float]) -> numpy.typing.NDArray[numpy.float64]"),
      "A traction [Pa] on the boundary faces of a set: forces on all vertices, (n, 3).");
  module.def(
      "pressure_forces",
      [](const Mesh& mesh, nb::handle vertices, double pressure) {
        return forces_of(*mesh, pressure_forces(*mesh, indices(vertices, "vertices"), pressure));
      },
      nb::arg("mesh"), nb::arg("vertices"), nb::arg("pressure"),
      nb::sig("def pressure_forces(mesh: VolumeMesh, vertices: quartic._typing.Indices, pressure: float) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "A dead pressure [Pa] against the normals at rest of a set's faces: forces on all vertices, (n, 3).");
  module.def(
      "face_area",
      [](const Mesh& mesh, nb::handle vertices) { return face_area(*mesh, indices(vertices, "vertices")); },
      nb::arg("mesh"), nb::arg("vertices"),
      nb::sig("def face_area(mesh: VolumeMesh, vertices: quartic._typing.Indices) -> float"),
      "Of the boundary faces whose vertices are all in the set [m^2].");
  module.def(
      "load_totals",
      [](const Mesh& mesh, nb::handle force, const Vector& point) {
        const LoadTotals totals = load_totals(*mesh, doubles(force, "force", {mesh->vertex_count(), 3}), point);
        return std::pair(totals.force, totals.moment);
      },
      nb::arg("mesh"), nb::arg("force"), nb::arg("point") = Vector{},
      nb::sig("def load_totals(mesh: VolumeMesh, force: quartic._typing.ArrayLike, point: "
              "collections.abc.Sequence[float] = [0.0, 0.0, 0.0]) -> tuple[list[float], list[float]]"),
      "Force [N] and moment about a point [N m] of forces on all vertices at rest.");
  module.def("read_loads", &loads_from, nb::arg("path"), nb::arg("mesh"),
             nb::sig("def read_loads(path: str | os.PathLike[str], mesh: VolumeMesh) -> "
                     "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                     "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None, "
                     "list[str]]"),
             "Of an Abaqus or CalculiX deck: forces on all vertices, (n, 3), gravity, (3,), temperature (n,) and "
             "expansion (regions,) or None, and what is left out.");
  module.def(
      "drive_sets", &driven_model, nb::arg("model"), nb::arg("sets"),
      nb::sig("def drive_sets(model: ReducedModel, sets: collections.abc.Sequence[tuple[quartic._typing.Indices, "
              "collections.abc.Sequence[float]]]) -> tuple[ReducedModel, numpy.typing.NDArray[numpy.float64]]"),
      "The model with a coordinate for each set (vertices, direction) that is moved, behind its own, and C, "
      "(r + sets, sets): C s are the coordinates at rest for small displacements s [m], and its last rows what "
      "batch.force takes of them.");
  module.def(
      "hold_coordinates",
      [](const Energy& energy, nb::handle values) {
        const std::vector<double> held = doubles(values, "values", {-1});
        return share(without_gil([&] { return hold_coordinates(*energy, held); }));
      },
      nb::arg("energy"), nb::arg("values"),
      nb::sig("def hold_coordinates(energy: QuarticEnergy, values: quartic._typing.ArrayLike) -> QuarticEnergy"),
      "The energy with its last coordinates held at these values, exactly: a quartic of the others.");
  bind_base(module);
  bind_heat(module);
}

}  // namespace quartic::python
