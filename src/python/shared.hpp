// Values of the library that don't change once they are made, as Python's objects hold them.
//
// Each is in a shared_ptr, so that a view of an array inside keeps it without a Python object, and calls read it
// without the GIL and without a lock.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/arrays/array.hpp"
#include "quartic/material.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "quartic/storage.hpp"

namespace quartic::python {

/// What Python's `quartic.T` is.
template <class T>
struct Shared {
  std::shared_ptr<const T> value;

  [[nodiscard]] const T& operator*() const { return *value; }
  [[nodiscard]] const T* operator->() const { return value.get(); }
  /// A part of it, which keeps the whole.
  template <class Part>
  [[nodiscard]] Shared<Part> part(const Part& inside) const {
    return {std::shared_ptr<const Part>(value, &inside)};
  }
};

template <class T>
[[nodiscard]] Shared<T> share(T value) {
  return {std::make_shared<const T>(std::move(value))};
}

using Mesh = Shared<VolumeMesh>;
using Model = Shared<ReducedModel>;

/// Runs f without the GIL.
template <class F>
auto without_gil(F f) {
  const nb::gil_scoped_release released;
  return f();
}

/// Numbers inside a shared value, as a read-only NumPy array in C order.
template <class T, class V>
[[nodiscard]] nb::object numpy_view(const Shared<T>& whole, const std::vector<V>& values,
                                    std::vector<std::int64_t> shape) {
  return to_numpy(constant_array(values, std::move(shape), whole.value));
}

/// Fields, shape (3n, k) and column-major, as Python has them: (k, n, 3).
template <class T>
[[nodiscard]] nb::object fields_view(const Shared<T>& whole, const Matrix& fields) {
  return numpy_view(whole, fields.values, {fields.cols, fields.rows / 3, 3});
}

/// A column-major matrix as its transpose in C order: (cols, rows).
template <class T>
[[nodiscard]] nb::object transposed_view(const Shared<T>& whole, const Matrix& matrix) {
  return numpy_view(whole, matrix.values, {matrix.cols, matrix.rows});
}

/// A column-major matrix with its own shape, (rows, cols), in Fortran's order.
template <class T>
[[nodiscard]] nb::object matrix_view(const Shared<T>& whole, const Matrix& matrix) {
  Array array = constant_array(matrix.values, {matrix.rows, matrix.cols}, whole.value);
  array.strides = {1, matrix.rows};
  return to_numpy(std::move(array));
}

/// Vertex numbers or other indices: an array of integers with one dimension, or a sequence of Python's.
[[nodiscard]] std::vector<std::int32_t> indices(nb::handle object, const std::string& name);

/// Numbers of an array of float64 in C order. @param shape -1 for any extent
[[nodiscard]] std::vector<double> doubles(nb::handle object, const std::string& name,
                                          const std::vector<std::int64_t>& shape);

/// Fields (k, n, 3) as the library has them, (3n, k). @param rows 3n
[[nodiscard]] Matrix fields(nb::handle object, const std::string& name, std::int64_t rows);

}  // namespace quartic::python
