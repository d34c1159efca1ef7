// From the Gram matrix of strain monomials to the symmetric tensor S.
#pragma once

#include "quartic/energy.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

/// S_abcd = D_ab,cd + D_ac,bd + D_ad,bc, a <= b <= c <= d, where the energy is
/// 1/8 D_ab,cd q^_a q^_b q^_c q^_d: averaging D over the three ways to pair four indices.
/// @param gram D by pairs, shape (p, p), only the lower triangle is read; p = (r+1)(r+2)/2 - 1 pairs a <= b in pair
///        order without (0, 0), for which D is zero
[[nodiscard]] QuarticEnergy symmetrise(const MatrixRef& gram, int rank);

}  // namespace quartic
