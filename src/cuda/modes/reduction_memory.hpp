// Device memory that the stages of a reduction take, known before they begin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/fem/device_matrices.hpp"
#include "core/fem/prepared_mesh.hpp"
#include "core/modes/modes_operations.hpp"

namespace quartic::cuda {

/// Columns that an eigensolver has at once, at most.
[[nodiscard]] std::size_t eigensolver_bytes(std::int64_t rows, std::int64_t modes);

/// Fields and the panels that orthogonalise them.
[[nodiscard]] std::size_t basis_bytes(std::int64_t rows, std::int64_t fields);

/// Compares what the largest stage takes with what is free. Of the factor, whose size is known after its analysis, it
/// counts the matrix' own triangle; of tiles, which shrink where memory is short, one element.
/// @throws InputError that names both
void require_reduction_memory(const PreparedMesh& mesh, const MeshPattern& pattern, MassMatrix kind,
                              const ReductionSizes& sizes);

}  // namespace quartic::cuda
