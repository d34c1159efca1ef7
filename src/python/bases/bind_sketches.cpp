// Recordings of forces, and the equilibria under them.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/unreduced/unreduced.hpp"
#include "quartic/error.hpp"
#include "quartic/sketch.hpp"

namespace quartic::python {
namespace {

namespace fs = std::filesystem;

RecordedLoad make_load(double time, nb::handle vertices, nb::handle forces) {
  RecordedLoad load{.time = time, .forces = {}};
  const std::vector<std::int32_t> numbers = indices(vertices, "vertices");
  const std::vector<double> values = doubles(forces, "forces", {std::ssize(numbers), 3});
  for (std::size_t n = 0; n < numbers.size(); ++n)
    load.forces.push_back({0, numbers[n], {values[3 * n], values[3 * n + 1], values[3 * n + 2]}});
  return load;
}

nb::object vertices_of(const RecordedLoad& load) {
  std::vector<std::int32_t> vertices;
  for (const VertexForce& one : load.forces) vertices.push_back(one.vertex);
  const std::int64_t count = std::ssize(vertices);
  return to_numpy(owning_array(std::move(vertices), {count}));
}

nb::object forces_of(const RecordedLoad& load) {
  std::vector<double> forces;
  for (const VertexForce& one : load.forces) forces.insert(forces.end(), one.force.begin(), one.force.end());
  return vertex_array(std::move(forces));
}

std::vector<std::pair<std::int64_t, PythonEquilibrium>> follow(SolverObject& solver,
                                                               const std::vector<RecordedLoad>& loads) {
  std::vector<std::pair<std::int64_t, PythonEquilibrium>> found;
  const std::int64_t vertices = solver.mesh->vertex_count();
  without_gil([&] {
    const std::lock_guard lock(solver.mutex);
    follow_loads(*solver.solver, loads, vertices, [&](std::int64_t number, const Equilibrium& equilibrium) {
      found.emplace_back(number, PythonEquilibrium{share(equilibrium), {vertices, 3}});
    });
  });
  return found;
}

}  // namespace

void bind_sketches(nb::module_& module) {
  nb::class_<RecordedLoad>(module, "RecordedLoad", "The forces on vertices at one time of a recording.")
      .def(
          "__init__",
          [](RecordedLoad* self, double time, nb::handle vertices, nb::handle forces) {
            new (self) RecordedLoad(make_load(time, vertices, forces));
          },
          nb::arg("time"), nb::arg("vertices"), nb::arg("forces"),
          nb::sig("def __init__(self, time: float, vertices: quartic._typing.Indices, forces: "
                  "quartic._typing.ArrayLike) -> None"),
          "time [s]; forces [N] (v, 3), float64, on these vertices.")
      .def_ro("time", &RecordedLoad::time)
      .def_prop_ro("vertices", &vertices_of, nb::sig("def vertices(self) -> numpy.typing.NDArray[numpy.int32]"))
      .def_prop_ro("forces", &forces_of, nb::sig("def forces(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "[N], (v, 3)");
  module.def(
      "read_recorded_loads",
      [](const fs::path& path, std::int64_t vertex_count) {
        return without_gil([&] { return read_recorded_loads(path, vertex_count); });
      },
      nb::arg("path"), nb::arg("vertex_count"), "Reads text lines time,vertex,fx,fy,fz.");
  module.def(
      "write_recorded_loads",
      [](const std::vector<RecordedLoad>& loads, const fs::path& path) {
        without_gil([&] { write_recorded_loads(loads, path); });
      },
      nb::arg("loads"), nb::arg("path"));
  module.def(
      "force_vector",
      [](const RecordedLoad& load, std::int64_t vertex_count) {
        return vertex_array(force_vector(load.forces, vertex_count));
      },
      nb::arg("load"), nb::arg("vertex_count"),
      nb::sig("def force_vector(load: RecordedLoad, vertex_count: int) -> numpy.typing.NDArray[numpy.float64]"),
      "A load on all vertices, (n, 3) [N].");
  module.def(
      "select_loads",
      [](const std::vector<RecordedLoad>& loads, double separation) { return select_loads(loads, separation); },
      nb::arg("loads"), nb::arg("separation"),
      "Which loads are that far, in parts of the largest one, from zero and from the last one selected.");
  module.def("follow_loads", &follow, nb::arg("solver"), nb::arg("loads"),
             "Equilibria of a StaticSolver under one load after the other, each from the last: (number of the load, "
             "Equilibrium); those that can't be reached are left out.");
}

}  // namespace quartic::python
