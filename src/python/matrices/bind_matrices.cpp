// Sparse matrices and their factors.
#include <memory>
#include <mutex>
#include <utility>

#include "python/bindings.hpp"
#include "python/matrices/matrices.hpp"
#include "quartic/error.hpp"
#include "quartic/matrix.hpp"

namespace quartic::python {
namespace {

// That offsets and columns are what a matrix in compressed rows has.
void require_sound(const SparseMatrix& matrix) {
  std::int32_t before = 0;
  for (const std::int32_t offset : matrix.row_offsets) {
    if (offset < before || offset > matrix.nonzeros())
      throw InputError("row_offsets ascend from 0 to the number of values, which is " +
                       std::to_string(matrix.nonzeros()));
    before = offset;
  }
  if (matrix.row_offsets.front() != 0 || before != matrix.nonzeros())
    throw InputError("row_offsets ascend from 0 to the number of values, which is " +
                     std::to_string(matrix.nonzeros()));
  for (std::size_t row = 0; row + 1 < matrix.row_offsets.size(); ++row)
    for (auto n = static_cast<std::size_t>(matrix.row_offsets[row]);
         n < static_cast<std::size_t>(matrix.row_offsets[row + 1]); ++n) {
      const bool first = n == static_cast<std::size_t>(matrix.row_offsets[row]);
      if (matrix.columns[n] < 0 || matrix.columns[n] >= matrix.cols ||
          (!first && matrix.columns[n] <= matrix.columns[n - 1]))
        throw InputError("columns of row " + std::to_string(row) + " don't ascend from 0 to " +
                         std::to_string(matrix.cols - 1));
    }
}

SparseMatrix make_matrix(std::pair<std::int64_t, std::int64_t> shape, nb::handle row_offsets, nb::handle columns,
                         nb::handle values) {
  SparseMatrix matrix;
  matrix.rows = shape.first;
  matrix.cols = shape.second;
  matrix.row_offsets = indices(row_offsets, "row_offsets");
  matrix.columns = indices(columns, "columns");
  matrix.values = doubles(values, "values", {std::ssize(matrix.columns)});
  if (matrix.rows < 0 || matrix.cols < 0 || std::ssize(matrix.row_offsets) != matrix.rows + 1)
    throw InputError("row_offsets has " + std::to_string(matrix.row_offsets.size()) +
                     " entries; a matrix of this shape needs one for each row, and one more");
  require_sound(matrix);
  return matrix;
}

nb::object to_scipy(const Sparse& matrix) {
  const std::int64_t count = matrix->nonzeros();
  const nb::object values = numpy_view(matrix, matrix->values, {count}),
                   columns = numpy_view(matrix, matrix->columns, {count}),
                   offsets = numpy_view(matrix, matrix->row_offsets, {matrix->rows + 1});
  return nb::module_::import_("scipy.sparse")
      .attr("csr_array")(nb::make_tuple(values, columns, offsets),
                         nb::arg("shape") = nb::make_tuple(matrix->rows, matrix->cols));
}

// One call at a time per object.
struct Factor {
  std::unique_ptr<Factorization> factor;
  std::mutex mutex;
};

void factorize(Factor* self, const Sparse& matrix, const std::string& method, const std::string& backend,
               bool updatable) {
  const FactorizationOptions options{chosen(factorization_methods, "method", method),
                                     device_of("backend", backend).backend, updatable};
  auto factor = without_gil([&] { return std::make_unique<Factorization>(*matrix, options); });
  new (self) Factor{std::move(factor), {}};
}

nb::object solve(Factor& self, nb::handle right) {
  const Array given = import_array(right, "b");
  const bool one = given.shape.size() == 1;
  const std::int64_t rows = self.factor->rows();
  require(given, "b", DType::float64, one ? std::vector{rows} : std::vector{rows, std::int64_t{-1}});
  Matrix solution(rows, one ? 1 : given.shape[1]);
  const std::int64_t step = one ? 0 : given.strides[1];
  for (std::int64_t j = 0; j < solution.cols; ++j)
    for (std::int64_t i = 0; i < rows; ++i)
      solution(i, j) = data_of<const double>(given)[i * given.strides[0] + j * step];
  without_gil([&] {
    const std::lock_guard lock(self.mutex);
    self.factor->solve(solution.map());
  });
  if (one) return to_numpy(owning_array(std::move(solution.values), {rows}));
  const std::int64_t columns = solution.cols;
  Array result = owning_array(std::move(solution.values), {rows, columns});
  result.strides = {1, rows};
  return to_numpy(std::move(result));
}

void update(Factor& self, const Sparse& matrix) {
  without_gil([&] {
    const std::lock_guard lock(self.mutex);
    self.factor->update(*matrix);
  });
}

void bind_sparse(nb::module_& module) {
  nb::class_<Sparse>(module, "SparseMatrix",
                     "A matrix in compressed rows. Symmetric ones have both triangles. Doesn't change once it is made.")
      .def(
          "__init__",
          [](Sparse* self, std::pair<std::int64_t, std::int64_t> shape, nb::handle row_offsets, nb::handle columns,
             nb::handle values) { new (self) Sparse(share(make_matrix(shape, row_offsets, columns, values))); },
          nb::arg("shape"), nb::arg("row_offsets"), nb::arg("columns"), nb::arg("values"),
          nb::sig("def __init__(self, shape: tuple[int, int], row_offsets: quartic._typing.Indices, columns: "
                  "quartic._typing.Indices, values: quartic._typing.ArrayLike) -> None"),
          "Row i has the entries row_offsets[i] to row_offsets[i + 1], columns ascending; SciPy's csr_array calls them "
          "indptr, indices and data.")
      .def_prop_ro("shape", [](const Sparse& m) { return std::pair(m->rows, m->cols); })
      .def_prop_ro(
          "row_offsets", [](const Sparse& m) { return numpy_view(m, m->row_offsets, {m->rows + 1}); },
          nb::sig("def row_offsets(self) -> numpy.typing.NDArray[numpy.int32]"))
      .def_prop_ro(
          "columns", [](const Sparse& m) { return numpy_view(m, m->columns, {m->nonzeros()}); },
          nb::sig("def columns(self) -> numpy.typing.NDArray[numpy.int32]"))
      .def_prop_ro(
          "values", [](const Sparse& m) { return numpy_view(m, m->values, {m->nonzeros()}); },
          nb::sig("def values(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def("scipy", &to_scipy, nb::sig("def scipy(self) -> typing.Any"),
           "The same memory as a csr_array of SciPy's, which has to be there.");
}

void bind_factors(nb::module_& module) {
  nb::class_<Factor>(module, "Factorization", "The Cholesky factor of a symmetric positive definite matrix.")
      .def("__init__", &factorize, nb::arg("matrix"), nb::kw_only(), nb::arg("method") = "automatic",
           nb::arg("backend") = "cpu", nb::arg("updatable") = false,
           nb::sig("def __init__(self, matrix: SparseMatrix, *, method: str = 'automatic', backend: str = 'cpu', "
                   "updatable: bool = False) -> None"),
           "method: automatic, mumps or eigen, on a GPU also cudss or cusolver; updatable: for `update`.")
      .def("solve", &solve, nb::arg("b"),
           nb::sig("def solve(self, b: quartic._typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
           "A^-1 b for b (rows) or (rows, m) of float64.")
      .def("update", &update, nb::arg("matrix"), "Factorises another matrix with the same pattern.")
      .def_prop_ro("rows", [](const Factor& f) { return f.factor->rows(); })
      .def_prop_ro("name", [](const Factor& f) { return std::string(f.factor->name()); })
      .def_prop_ro("factor_nonzeros", [](const Factor& f) { return f.factor->factor_nonzeros(); });
}

}  // namespace

nb::object vertex_array(std::vector<double> values) {
  const std::int64_t count = std::ssize(values) / 3;
  return to_numpy(owning_array(std::move(values), {count, 3}));
}

nb::object fields_array(Matrix fields) {
  const std::int64_t count = fields.cols, vertices = fields.rows / 3;
  return to_numpy(owning_array(std::move(fields.values), {count, vertices, 3}));
}

std::vector<double> vertex_numbers(nb::handle object, const std::string& name, const Mesh& mesh) {
  return doubles(object, name, {mesh->vertex_count(), 3});
}

void bind_matrices(nb::module_& module) {
  bind_sparse(module);
  bind_factors(module);
  bind_elements(module);
}

}  // namespace quartic::python
