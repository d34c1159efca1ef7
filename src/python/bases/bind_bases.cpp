// Bases of fields: mass-PCA, and energies on them.
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>

#include "python/bindings.hpp"
#include "python/energy.hpp"
#include "python/matrices/matrices.hpp"
#include "python/progress.hpp"
#include "quartic/basis.hpp"
#include "quartic/energy.hpp"
#include "quartic/error.hpp"
#include "quartic/matrix.hpp"

namespace quartic::python {
namespace {

using SharedBasis = Shared<Basis>;

Matrix fields_for(const Sparse& mass, nb::handle object) {
  return fields(object, "fields", mass->rows);
}

void bind_pca(nb::module_& module) {
  nb::class_<SharedBasis>(module, "Basis", "A mass-orthonormal basis, and what it was made from.")
      .def_prop_ro(
          "vectors", [](const SharedBasis& b) { return fields_view(b, b->vectors); },
          nb::sig("def vectors(self) -> numpy.typing.NDArray[numpy.float64]"), "(r, n, 3)")
      .def_prop_ro(
          "singular_values",
          [](const SharedBasis& b) { return numpy_view(b, b->singular_values, {std::ssize(b->singular_values)}); },
          nb::sig("def singular_values(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Of all fields in the mass norm, descending.")
      .def_prop_ro("numerical_rank", [](const SharedBasis& b) { return b->numerical_rank; });
  module.def(
      "mass_pca",
      [](nb::handle given, const Sparse& mass, int rank) {
        Matrix own = fields_for(mass, given);
        return without_gil([&] { return share(mass_pca(std::move(own), *mass, rank)); });
      },
      nb::arg("fields"), nb::arg("mass"), nb::arg("rank"),
      nb::sig("def mass_pca(fields: quartic._typing.ArrayLike, mass: SparseMatrix, rank: int) -> Basis"),
      "The basis of this rank that has the most of the fields (k, n, 3) in the mass norm.");
  module.def(
      "mass_pca_up_to",
      [](nb::handle given, const Sparse& mass, int rank) {
        Matrix own = fields_for(mass, given);
        return without_gil([&] { return share(mass_pca_up_to(std::move(own), *mass, rank)); });
      },
      nb::arg("fields"), nb::arg("mass"), nb::arg("rank"),
      nb::sig("def mass_pca_up_to(fields: quartic._typing.ArrayLike, mass: SparseMatrix, rank: int) -> Basis"),
      "The same, of a lower rank where the fields have no higher one.");
}

}  // namespace

void bind_bases(nb::module_& module) {
  bind_pca(module);
  module.def(
      "mass_orthonormalize",
      [](nb::handle given, const Sparse& mass) {
        const Matrix own = fields_for(mass, given);
        return fields_array(without_gil([&] { return mass_orthonormalize(own.map(), *mass); }));
      },
      nb::arg("fields"), nb::arg("mass"),
      nb::sig("def mass_orthonormalize(fields: quartic._typing.ArrayLike, mass: SparseMatrix) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "Fields (k, n, 3) that span the same and are mass-orthonormal.");
  module.def(
      "orthonormality_error",
      [](nb::handle basis, const Sparse& mass) {
        const Matrix own = fields(basis, "basis", mass->rows);
        return without_gil([&] { return orthonormality_error(own.map(), *mass); });
      },
      nb::arg("basis"), nb::arg("mass"),
      nb::sig("def orthonormality_error(basis: quartic._typing.ArrayLike, mass: SparseMatrix) -> float"),
      "The largest entry of |U^T M U - I|.");
  module.def(
      "reduce_energy",
      [](const Mesh& mesh, nb::handle basis, const std::string& backend, nb::object progress) {
        const Matrix own = fields(basis, "basis", 3 * mesh->vertex_count());
        ReduceEnergyOptions options{.backend = device_of("backend", backend).backend};
        return without_gil([&] {
          options.progress = progress_for(progress);
          return share(reduce_energy(*mesh, own.map(), options));
        });
      },
      nb::arg("mesh"), nb::arg("basis"), nb::kw_only(), nb::arg("backend") = "cpu", nb::arg("progress") = nb::none(),
      nb::sig("def reduce_energy(mesh: VolumeMesh, basis: quartic._typing.ArrayLike, *, backend: str = 'cpu', "
              "progress: quartic._typing.Progress | None = None) -> QuarticEnergy"),
      "The energy of a mesh on any fields (r, n, 3), exactly.");
  bind_snapshots(module);
  bind_sketches(module);
}

}  // namespace quartic::python
