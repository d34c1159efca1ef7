// Which basis numbers belong to: the one hash for all that means nothing without its basis.
#pragma once

#include <cstdint>
#include <vector>

#include "quartic/matrix.hpp"

namespace quartic {

/// FNV-1a (64 bit) of the numbers n and r in eight bytes each, the rest positions and the basis, all as they lie in a
/// model file: little-endian, vertex by vertex, mode by mode. The same on every machine; a basis that was saved and
/// loaded keeps it. It goes by bits: 0.0 and -0.0 differ, and so does a basis whose modes have another sign, order or
/// last digit. About 1 s per GB.
/// @param vertices rest positions [m], shape (n, 3)
/// @param basis U, shape (3n, r)
[[nodiscard]] std::uint64_t basis_fingerprint(const std::vector<double>& vertices, const Matrix& basis);

}  // namespace quartic
