// From linear displacements p = Phi q and rotations w = Psi q to warped displacements, many vertices at a time.
#pragma once

#include <cstddef>

#include "cpu/embedding/displacement_kernels.hpp"

namespace quartic::cpu {

/// What a strip of `strip_rows<T>` vertices has: p_x of all of them, then p_y, p_z, w_x, w_y, w_z; and what comes of
/// it, u_x, u_y, u_z. Each vertex's numbers depend on its own alone.
/// @param sums shape (strips, 6, strip_rows) @param warped shape (strips, 3, strip_rows), both aligned to cache lines
template <class T>
using StripWarp = void (*)(const T* sums, std::size_t strips, T* warped);

/// u = V(w) p, and u = exp(w^) p, for this machine's instruction set.
template <class T>
[[nodiscard]] StripWarp<T> integrated_strip_warp();
template <class T>
[[nodiscard]] StripWarp<T> rotated_strip_warp();

}  // namespace quartic::cpu
