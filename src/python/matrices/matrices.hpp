// Sparse matrices, and vectors of three numbers per vertex, as Python passes them.
#pragma once

#include <string>
#include <vector>

#include "python/choices.hpp"
#include "python/shared.hpp"
#include "quartic/factorization.hpp"

namespace quartic::python {

/// Python's `quartic.SparseMatrix`.
using Sparse = Shared<SparseMatrix>;

inline constexpr Choice<FactorizationMethod, 5> factorization_methods{{{"automatic", FactorizationMethod::automatic},
                                                                       {"mumps", FactorizationMethod::mumps},
                                                                       {"eigen", FactorizationMethod::eigen},
                                                                       {"cudss", FactorizationMethod::cudss},
                                                                       {"cusolver", FactorizationMethod::cusolver}}};

/// Numbers (n, 3) that this owns, a NumPy array.
[[nodiscard]] nb::object vertex_array(std::vector<double> values);

/// A matrix (3n, k) that this owns as fields (k, n, 3), a NumPy array.
[[nodiscard]] nb::object fields_array(Matrix fields);

/// Displacements or forces (n, 3) as the library has them. @throws InputError for another shape
[[nodiscard]] std::vector<double> vertex_numbers(nb::handle object, const std::string& name, const Mesh& mesh);

}  // namespace quartic::python
