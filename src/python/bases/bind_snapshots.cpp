// Displacements of whole meshes as data for bases.
#include <nanobind/stl/filesystem.h>

#include <filesystem>
#include <numeric>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/matrices/matrices.hpp"
#include "quartic/error.hpp"
#include "quartic/matrix.hpp"
#include "quartic/snapshots.hpp"

namespace quartic::python {
namespace {

namespace fs = std::filesystem;
using SharedSnapshots = Shared<Snapshots>;

Snapshots make_snapshots(nb::handle displacements, nb::handle time) {
  Array array = import_array(displacements, "displacements");
  require(array, "displacements", DType::float64, {-1, -1, 3});
  Snapshots snapshots;
  snapshots.displacements = fields(displacements, "displacements", 3 * array.shape[1]);
  const std::int64_t count = snapshots.count();
  if (time.is_none()) {
    snapshots.time.resize(static_cast<std::size_t>(count));
    std::iota(snapshots.time.begin(), snapshots.time.end(), 0.0);
  } else {
    snapshots.time = doubles(time, "time", {count});
  }
  return snapshots;
}

nb::object numbers_of(std::vector<std::int64_t> values) {
  const std::int64_t count = std::ssize(values);
  return to_numpy(owning_array(std::move(values), {count}));
}

}  // namespace

void bind_snapshots(nb::module_& module) {
  nb::class_<SharedSnapshots>(module, "Snapshots", "Displacements of all vertices at several times.")
      .def(
          "__init__",
          [](SharedSnapshots* self, nb::handle displacements, nb::handle time) {
            new (self) SharedSnapshots(share(make_snapshots(displacements, time)));
          },
          nb::arg("displacements"), nb::arg("time") = nb::none(),
          nb::sig("def __init__(self, displacements: quartic._typing.ArrayLike, time: quartic._typing.ArrayLike | None "
                  "= None) -> None"),
          "displacements [m] (N, n, 3), time [s] (N), float64; without time 0, 1, 2, ...")
      .def_prop_ro(
          "displacements", [](const SharedSnapshots& s) { return fields_view(s, s->displacements); },
          nb::sig("def displacements(self) -> numpy.typing.NDArray[numpy.float64]"), "[m], (N, n, 3)")
      .def_prop_ro(
          "time", [](const SharedSnapshots& s) { return numpy_view(s, s->time, {std::ssize(s->time)}); },
          nb::sig("def time(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def("__len__", [](const SharedSnapshots& s) { return s->count(); });
  module.def(
      "save_snapshots",
      [](const SharedSnapshots& snapshots, const fs::path& path) {
        without_gil([&] { save_snapshots(*snapshots, path); });
      },
      nb::arg("snapshots"), nb::arg("path"), "Writes a .qsnap file.");
  module.def(
      "load_snapshots", [](const fs::path& path) { return without_gil([&] { return share(load_snapshots(path)); }); },
      nb::arg("path"));
  module.def(
      "write_pvd",
      [](const Mesh& mesh, const SharedSnapshots& snapshots, const fs::path& path) {
        without_gil([&] { write_pvd(*mesh, *snapshots, path); });
      },
      nb::arg("mesh"), nb::arg("snapshots"), nb::arg("path"), "A series for ParaView, a frame for each snapshot.");
  module.def(
      "select_separated",
      [](nb::handle given, const Sparse& mass, double separation) {
        const Matrix own = fields(given, "fields", mass->rows);
        return numbers_of(without_gil([&] { return select_separated(own.map(), *mass, separation); }));
      },
      nb::arg("fields"), nb::arg("mass"), nb::arg("separation"),
      nb::sig("def select_separated(fields: quartic._typing.ArrayLike, mass: SparseMatrix, separation: float) -> "
              "numpy.typing.NDArray[numpy.int64]"),
      "Which fields are that far, in parts of the longest one, from zero and from those selected before.");
  module.def(
      "captured_energy",
      [](nb::handle singular_values) {
        std::vector<double> shares = captured_energy(doubles(singular_values, "singular_values", {-1}));
        const std::int64_t count = std::ssize(shares);
        return to_numpy(owning_array(std::move(shares), {count}));
      },
      nb::arg("singular_values"),
      nb::sig("def captured_energy(singular_values: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
      "The share of the fields that the first 1, 2, ... vectors of their mass-PCA have.");
}

}  // namespace quartic::python
