// The tangent with its negative eigenvalues taken for zero.
#pragma once

#include "quartic/material.hpp"

namespace quartic {

/// Of any law: in the axes of the singular value decomposition C falls apart into the 3 x 3 block of stretches and
/// three 2 x 2 blocks, whose eigenvectors are a twist and a flip each (Smith, de Goes & Kim 2019).
/// @param a F - I @param c 45 entries of packed()
void projected_tangent(const Material& material, const double* a, double* c);

}  // namespace quartic
