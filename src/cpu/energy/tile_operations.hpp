// The operations of a tile on the compilers' vector types of any size in bytes: what tile_kernels.cpp instantiates for
// each instruction set. Whatever the size, each lane sees the same operations in the same order.
#pragma once

#include <cstdint>
#include <limits>

#include "cpu/energy/tile_kernels.hpp"

namespace quartic::cpu::tile_operations {

// A row of a tile as vectors of `bytes` bytes.
template <class T, int bytes>
struct Row {
  typedef T Vector __attribute__((vector_size(bytes), may_alias));  // NOLINT: no `using` with attributes in GCC 12
  static constexpr int parts = lanes<T> * static_cast<int>(sizeof(T)) / bytes;

  [[gnu::always_inline]] static Vector* at(T* tile, std::int64_t row) {
    return reinterpret_cast<Vector*>(tile + row * lanes<T>);
  }
  [[gnu::always_inline]] static const Vector* at(const T* tile, std::int64_t row) {
    return reinterpret_cast<const Vector*>(tile + row * lanes<T>);
  }
};

// Where rows of a product go: one after the other, or as a list says.
struct InOrder {
  [[gnu::always_inline]] std::int64_t operator[](std::int64_t row) const { return row; }
};

// Rows of a product A X, `blocks` blocks of them: A's rows block by block, [column][row] within a block.
template <class T, int bytes, int blocks, class Places>
[[gnu::always_inline]] inline void multiply_rows(const T* a, std::int64_t columns, const T* x, T* y, std::int64_t first,
                                                 Places places) {
  using R = Row<T, bytes>;
  typename R::Vector sum[blocks * row_block][R::parts] = {};
  for (std::int64_t n = 0; n < columns; ++n, a += row_block)
    for (int b = 0; b < blocks; ++b)
      for (int i = 0; i < row_block; ++i)
        for (int p = 0; p < R::parts; ++p)
          sum[b * row_block + i][p] += a[std::int64_t{b} * row_block * columns + i] * R::at(x, n)[p];
  for (int i = 0; i < blocks * row_block; ++i)
    for (int p = 0; p < R::parts; ++p) R::at(y, places[first + i])[p] = sum[i][p];
}

// Any number of blocks. A vector per row leaves registers for two, and two multiply-adds a cycle need more than one's.
template <class T, int bytes, class Places = InOrder>
[[gnu::always_inline]] inline void multiply_blocks(const T* a, std::int64_t blocks, std::int64_t columns, const T* x,
                                                   T* y, Places places = {}) {
  constexpr int together = Row<T, bytes>::parts == 1 ? 2 : 1;
  const std::int64_t size = row_block * columns;
  std::int64_t b = 0;
  for (; b + together <= blocks; b += together)
    multiply_rows<T, bytes, together>(a + b * size, columns, x, y, b * row_block, places);
  if (b < blocks) multiply_rows<T, bytes, 1>(a + b * size, columns, x, y, b * row_block, places);
}

template <class T, int bytes>
[[gnu::always_inline]] inline void evaluate(const PackedCoefficients<T>& coefficients, const T* q, const T* pressures,
                                            T* monomials, T* h) {
  using R = Row<T, bytes>;
  const int rank = coefficients.rank;
  const std::int32_t* row = coefficients.monomial_rows.data();
  for (int l = 0; l < lanes<T>; ++l) monomials[*row * lanes<T> + l] = 1;
  ++row;
  for (int d = 0; d < rank; ++d, ++row)
    for (int p = 0; p < R::parts; ++p) R::at(monomials, *row)[p] = R::at(q, d)[p];
  for (int c = 0; c < rank; ++c)
    for (int d = c; d < rank; ++d, ++row)
      for (int p = 0; p < R::parts; ++p) R::at(monomials, *row)[p] = R::at(q, c)[p] * R::at(q, d)[p];
  for (int c = 0; c < coefficients.chambers; ++c) {
    for (int p = 0; p < R::parts; ++p) R::at(monomials, *row)[p] = R::at(pressures, c)[p];
    ++row;
    for (int d = 0; d < rank; ++d, ++row)
      for (int p = 0; p < R::parts; ++p) R::at(monomials, *row)[p] = R::at(pressures, c)[p] * R::at(q, d)[p];
  }

  const T* values = coefficients.values.data();
  for (const auto& rows : coefficients.classes) {
    multiply_blocks<T, bytes>(values, rows.blocks, rows.monomials, monomials + rows.first_monomial * lanes<T>, h,
                              coefficients.result_rows.data() + rows.first_row);
    values += rows.blocks * row_block * rows.monomials;
  }
}

// y = K x.
template <class T, int bytes>
[[gnu::always_inline]] inline void multiply(int rank, const T* k, const T* x, T* y) {
  using R = Row<T, bytes>;
  for (std::int64_t n = 0; n < std::int64_t{rank} * lanes<T>; ++n) y[n] = 0;
  for (int i = 0; i < rank; ++i) {
    typename R::Vector xi[R::parts], sum[R::parts];
    for (int p = 0; p < R::parts; ++p) {
      xi[p] = R::at(x, i)[p];
      sum[p] = R::at(y, i)[p] + R::at(k, 0)[p] * xi[p];
    }
    for (int j = i + 1; j < rank; ++j)
      for (int p = 0; p < R::parts; ++p) {
        const typename R::Vector entry = R::at(k, j - i)[p];
        sum[p] += entry * R::at(x, j)[p];
        R::at(y, j)[p] += entry * xi[p];
      }
    for (int p = 0; p < R::parts; ++p) R::at(y, i)[p] = sum[p];
    k += std::int64_t{rank - i} * lanes<T>;
  }
}

// y = y + factor x.
template <class T, int bytes>
[[gnu::always_inline]] inline void add(int rank, T factor, const T* x, T* y) {
  using R = Row<T, bytes>;
  for (int i = 0; i < rank; ++i)
    for (int p = 0; p < R::parts; ++p) R::at(y, i)[p] += factor * R::at(x, i)[p];
}

// y = y + factor sum over chambers of p H_ip.
template <class T, int bytes>
[[gnu::always_inline]] inline void add_pressures(const PackedCoefficients<T>& coefficients, T factor,
                                                 const T* pressures, const T* h, T* y) {
  using R = Row<T, bytes>;
  const T* linear = h + (coefficients.stiffness_rows() + coefficients.rank) * lanes<T>;
  for (int c = 0; c < coefficients.chambers; ++c, linear += std::int64_t{coefficients.rank} * lanes<T>)
    for (int i = 0; i < coefficients.rank; ++i)
      for (int p = 0; p < R::parts; ++p) R::at(y, i)[p] += factor * R::at(pressures, c)[p] * R::at(linear, i)[p];
}

// y = K x + weight R(q) with R = (H_i0 + K q + p H_ip) / 3: one product with K.
template <class T, int bytes>
[[gnu::always_inline]] inline void apply(const PackedCoefficients<T>& coefficients, T weight, const T* q,
                                         const T* pressures, const T* h, T* x, T* y) {
  add<T, bytes>(coefficients.rank, weight / 3, q, x);
  multiply<T, bytes>(coefficients.rank, h, x, y);
  add<T, bytes>(coefficients.rank, weight / 3, h + coefficients.stiffness_rows() * lanes<T>, y);
  add_pressures<T, bytes>(coefficients, weight / 3, pressures, h, y);
}

// `count` entries of column j of L D from row i > j on, given row j of L: u_ij = A_ij - sum_k u_ik L_jk.
template <class T, int bytes, int count>
[[gnu::always_inline]] inline void eliminate(int rank, int i, int j, const T* scale, const T* k_column, T* factor) {
  using R = Row<T, bytes>;
  typename R::Vector sum[count][R::parts];
  for (int n = 0; n < count; ++n)
    for (int p = 0; p < R::parts; ++p) sum[n][p] = R::at(scale, 0)[p] * R::at(k_column, i - j + n)[p];
  for (int k = 0; k < j; ++k) {
    for (int n = 0; n < count; ++n)
      for (int p = 0; p < R::parts; ++p) sum[n][p] -= R::at(factor, i - k + n)[p] * R::at(factor, j - k)[p];
    factor += std::int64_t{rank - k} * lanes<T>;
  }
  for (int n = 0; n < count; ++n)
    for (int p = 0; p < R::parts; ++p) R::at(factor, i - j + n)[p] = sum[n][p];
}

// Column by column, left-looking. Rows above the current column hold L, rows below still hold u = L D.
template <class T, int bytes>
[[gnu::always_inline]] inline void factorize(int rank, const T* scale, const T* diagonal, const T* shift, const T* k,
                                             T* factor, T* failed) {
  using R = Row<T, bytes>;
  using Vector = typename R::Vector;
  constexpr int block = R::parts == 1 ? 8 : R::parts == 2 ? 4 : 2;  // accumulators: as many as registers allow
  for (int l = 0; l < lanes<T>; ++l) failed[l] = 0;
  for (int j = 0; j < rank; ++j) {
    Vector pivot[R::parts];
    for (int p = 0; p < R::parts; ++p)
      pivot[p] = (R::at(scale, 0)[p] * R::at(k, 0)[p] + R::at(diagonal, 0)[p]) + R::at(shift, 0)[p];
    T* column = factor;
    for (int m = 0; m < j; ++m) {
      for (int p = 0; p < R::parts; ++p) {
        const Vector u = R::at(column, j - m)[p];
        const Vector l = u * R::at(column, 0)[p];
        pivot[p] -= u * l;
        R::at(column, j - m)[p] = l;
      }
      column += std::int64_t{rank - m} * lanes<T>;
    }
    for (int p = 0; p < R::parts; ++p) {
      const Vector zero = {}, one = zero + 1;
      const auto good = (pivot[p] > 0) & (pivot[p] <= std::numeric_limits<T>::max());
      R::at(failed, 0)[p] = good ? R::at(failed, 0)[p] : one;
      R::at(column, 0)[p] = one / (good ? pivot[p] : one);
    }
    int i = j + 1;
    for (; i + block <= rank; i += block) eliminate<T, bytes, block>(rank, i, j, scale, k, factor);
    for (; i < rank; ++i) eliminate<T, bytes, 1>(rank, i, j, scale, k, factor);
    k += std::int64_t{rank - j} * lanes<T>;
  }
}

template <class T, int bytes>
[[gnu::always_inline]] inline void solve(int rank, const T* factor, T* x) {
  using R = Row<T, bytes>;
  using Vector = typename R::Vector;
  const T* column = factor;
  for (int k = 0; k < rank; ++k) {  // L y = x
    Vector y[R::parts];
    for (int p = 0; p < R::parts; ++p) y[p] = R::at(x, k)[p];
    for (int i = k + 1; i < rank; ++i)
      for (int p = 0; p < R::parts; ++p) R::at(x, i)[p] -= R::at(column, i - k)[p] * y[p];
    column += std::int64_t{rank - k} * lanes<T>;
  }
  for (int k = rank - 1; k >= 0; --k) {  // D L^T x = y
    column -= std::int64_t{rank - k} * lanes<T>;
    Vector sum[R::parts];
    for (int p = 0; p < R::parts; ++p) sum[p] = R::at(x, k)[p] * R::at(column, 0)[p];
    for (int i = k + 1; i < rank; ++i)
      for (int p = 0; p < R::parts; ++p) sum[p] -= R::at(column, i - k)[p] * R::at(x, i)[p];
    for (int p = 0; p < R::parts; ++p) R::at(x, k)[p] = sum[p];
  }
}

}  // namespace quartic::cpu::tile_operations
