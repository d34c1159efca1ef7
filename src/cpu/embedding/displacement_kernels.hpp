// The product behind u = U q, for the instruction sets that a machine may have. Each number of u is the sum over the
// modes in their order, whatever rows and bodies it is computed beside.
#pragma once

#include <cstddef>

namespace quartic::cpu {

/// Rows of U that lie side by side: a cache line of them.
template <class T>
inline constexpr std::size_t strip_rows = 64 / sizeof(T);

/// Bodies whose coordinates lie side by side.
inline constexpr std::size_t group_bodies = 12;

/// Strips of rows times bodies: out[b * stride + row] = sum over i of rows[strip][i][row] bodies[i][b].
/// @param rows    shape (strips, rank, strip_rows), aligned to cache lines
/// @param bodies  shape (rank, group_bodies)
/// @param count   of the bodies that are wanted; `out` has space for a group, of which some others may be written
/// @param out     aligned to cache lines, as is the stride
template <class T>
using StripProduct = void (*)(const T* rows, const T* bodies, std::size_t rank, std::size_t strips, std::size_t count,
                              T* out, std::size_t stride);

/// The one for this machine's instruction set.
template <class T>
[[nodiscard]] StripProduct<T> strip_product();

}  // namespace quartic::cpu
