// What unit fields along x, y and z weigh in reduced coordinates: U^T M times them, shape (r, 3).
#pragma once

#include <span>

#include "quartic/matrix.hpp"

namespace quartic {

/// @param basis U, shape (3n, r)
[[nodiscard]] Matrix unit_acceleration(const Matrix& basis, const SparseMatrix& mass);

/// The same from M times a unit field, a number per vertex.
[[nodiscard]] Matrix unit_acceleration(const Matrix& basis, std::span<const double> vertex_masses);

}  // namespace quartic
