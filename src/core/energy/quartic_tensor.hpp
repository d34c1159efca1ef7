// From the Gram matrix of strain monomials to the symmetric tensor S.
#pragma once

#include "quartic/matrix.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic {

/// The distinct entries of S in order, each as `symmetric_entry` makes it.
/// @param gram D by pairs, shape (p, p), only the lower triangle is read; p = (r+1)(r+2)/2 - 1 pairs a <= b in pair
///        order without (0, 0), for which D is zero
[[nodiscard]] QuarticEnergy symmetrise(const MatrixRef& gram, int rank);

}  // namespace quartic
