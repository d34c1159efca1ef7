// Energy, force and tangent stiffness of elements of any material law, one element per lane.
#pragma once

#include <cstdint>
#include <span>

#include "quartic/material.hpp"

namespace quartic::cpu {

/// Elements that are evaluated together: values of them are stored as [row][lane].
inline constexpr std::int64_t element_lanes = 8;

/// A group of elements of one type and law.
struct ElementGroup {
  MaterialLaw law;
  std::span<const double> weights;    ///< of the quadrature points in the reference element, shape (points)
  const double* reference_gradients;  ///< of the shape functions, shape (points, vertices, 3)
  const double* x;                    ///< rest positions, shape (vertices, 3, lanes)
  const double* u;                    ///< displacements, the same shape
  const double* lambda;               ///< shape (lanes)
  const double* mu;                   ///< shape (lanes)
  const double* mooney_share;         ///< shape (lanes); of other laws than StVK
};

/// Where results go; null for what isn't wanted.
struct ElementResults {
  double* energy = nullptr;  ///< shape (lanes)
  double* force = nullptr;   ///< shape (vertices, 3, lanes)
  double* stiffness =
      nullptr;              ///< blocks K_ab, a <= b: (0,0), (0,1), ..., each 3 x 3 by rows; shape (blocks, 9, lanes)
  bool is_viscous = false;  ///< K without its geometric part: the matrix of a viscous stress C : E'
};

using EvaluateElements = void (*)(const ElementGroup& group, const ElementResults& results);

/// The kernel for elements of 4, 6, 8, 10, 15 or 20 vertices and this machine's instruction set.
[[nodiscard]] EvaluateElements element_kernel(int vertices);

}  // namespace quartic::cpu
