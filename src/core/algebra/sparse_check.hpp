// The check that every sparse matrix from outside goes through.
#pragma once

#include <string>

#include "quartic/matrix.hpp"

namespace quartic {

/// Checks that offsets ascend from 0 to the number of entries, that there is one value per column, and that the columns
/// of each row are in range and ascend. @throws InputError that starts with `name`
void require_well_formed(const SparseMatrix& matrix, const std::string& name);

}  // namespace quartic
