// Quadrature rules of the reference elements. All weights are positive: the reduction takes their square roots.
#pragma once

#include "core/elements/elements.hpp"

namespace quartic {

/// One point in the middle of the tetrahedron, exact to degree 1.
[[nodiscard]] QuadratureRule tetrahedron_degree_1();
/// Four points, exact to degree 2 (Hammer, Marlowe & Stroud 1956).
[[nodiscard]] QuadratureRule tetrahedron_degree_2();
/// 14 points, exact to degree 5 (Walkington 2000).
[[nodiscard]] QuadratureRule tetrahedron_degree_5();
/// 35 points, exact to degree 7 (Zhang, Cui & Liu 2009).
[[nodiscard]] QuadratureRule tetrahedron_degree_7();

/// Gauss's rule of 2 points along each axis of [-1, 1]^3, exact to degree 3 in each coordinate.
[[nodiscard]] QuadratureRule hexahedron_gauss_8();
/// The same of 3 points, exact to degree 5.
[[nodiscard]] QuadratureRule hexahedron_gauss_27();

/// Six points in the triangle 0, e1, e2, exact to degree 4 (Strang & Fix 1973).
[[nodiscard]] QuadratureRule triangle_degree_4();
/// Gauss's rule of 3 points along both axes of the square [-1, 1]^2 at z = -1, exact to degree 5 in each coordinate.
[[nodiscard]] QuadratureRule square_gauss_9();
/// The triangle's rule at each of three Gauss points along the wedge, exact to degree 5.
[[nodiscard]] QuadratureRule wedge_degree_4();

}  // namespace quartic
