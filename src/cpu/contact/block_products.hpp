// A^T B for matrices of a few dozen columns, for the machine's instruction set.
#pragma once

#include <cstdint>

namespace quartic::cpu {

/// c += a^T b, each sum by itself in the order of the rows.
/// @param a, b shape (rows, pitch), row-major, of which the first n columns count; the rest of b are zeros
/// @param c shape (n, pitch) @param pitch a multiple of 8; rows begin at multiples of 64 bytes
void add_products(std::int64_t n, std::int64_t pitch, std::int64_t rows, const double* a, const double* b, double* c);

}  // namespace quartic::cpu
