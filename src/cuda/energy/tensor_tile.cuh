// Rows of H = C m for a block's 32, 64 or 128 bodies on tensor cores.
//
// A matrix instruction adds the product of 16 rows and 16 monomials (float) or 8 (double) with 8 bodies: a step. A warp
// sums 32 rows for up to 64 bodies (float) or 32 (double): 64 registers of sums per thread. The warps of a block stand
// side by side over the block's bodies and below each other over rows. Coefficients go from L2 into registers of the
// one or two warps that need them. Monomials are made by all threads for all, in slabs of 16 in shared memory,
// double-buffered, with one barrier per slab.
//
// float: a number is the sum of three with 8 bits each (bfloat16), x = x' + x" + x"'. A product takes six instructions:
// c"' m' + c" m" + c' m"' + c" m' + c' m" + c' m'; what is left out is below 2^-23 |c m|. These cut off what they sum,
// so each step's sum starts at zero, the small products first, and is then rounded into the running one.
//
// Each sum runs over the steps in order: its bits depend on nothing but the body and the model.
#pragma once

#include <type_traits>

#include "cuda/base/mma.cuh"
#include "cuda/energy/tensor_view.hpp"

namespace quartic::cuda {

/// How T is computed: a lane's coefficients of 16 rows, and its monomials of a body.
template <class T>
struct TensorArithmetic;

template <>
struct TensorArithmetic<float> {
  using Pair = float2;
  struct Monomials {
    uint2 parts[3];
  };
  static __device__ Monomials monomials(const float (&m)[4]) {
    float a = m[0], b = m[1], c = m[2], d = m[3];
    Monomials result;
#pragma unroll
    for (int part = 0; part < 3; ++part) {
      const uint2 pairs = make_uint2(round_to_bfloat16(a, b), round_to_bfloat16(c, d));
      a -= first_of_bfloat16(pairs.x), b -= second_of_bfloat16(pairs.x);
      c -= first_of_bfloat16(pairs.y), d -= second_of_bfloat16(pairs.y);
      result.parts[part] = pairs;
    }
    return result;
  }
  // Two columns of all tiles, one product after the other: an instruction waits for the one before in its sum, but not
  // for those of other sums.
  template <int tiles, int columns>
  static __device__ void multiply_add(const uint4 (&c)[tiles][3], const Monomials (&m)[2],
                                      float (&sums)[tiles][columns][4], int column) {
    float step[tiles][2][4] = {};
    const auto add = [&](int c_part, int m_part) {
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int tile = 0; tile < tiles; ++tile)
          multiply_add_bfloat16(c[tile][c_part], m[n].parts[m_part], step[tile][n]);
    };
    add(2, 0), add(1, 1), add(0, 2), add(1, 0), add(0, 1), add(0, 0);
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int tile = 0; tile < tiles; ++tile)
#pragma unroll
        for (int k = 0; k < 4; ++k) sums[tile][column + n][k] += step[tile][n][k];
  }
};

template <>
struct TensorArithmetic<double> {
  using Pair = double2;
  using Monomials = double2;
  static __device__ double2 monomials(const double (&m)[2]) { return make_double2(m[0], m[1]); }
  template <int tiles, int columns>
  static __device__ void multiply_add(const double2 (&c)[tiles][2], const double2 (&m)[2],
                                      double (&sums)[tiles][columns][4], int column) {
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int tile = 0; tile < tiles; ++tile)
        multiply_add_double(c[tile][0], c[tile][1], m[n].x, m[n].y, sums[tile][column + n]);
  }
};

/// Bodies of a warp where a block has `bodies`.
template <class T, int bodies>
inline constexpr int warp_bodies = most_warp_bodies<T> < bodies ? most_warp_bodies<T> : bodies;

/// A slab of monomials in shared memory. Lanes (g, t) of a column of 8 bodies stand such that neither those who write,
/// g = 0
/// .. 7 of one or two columns, nor those who read, t = 0 .. 3 for some g, meet in a bank.
template <class T, int bodies>
struct MonomialSlab {
  using Monomials = typename TensorArithmetic<T>::Monomials;
  unsigned char* memory;

  [[nodiscard]] static __device__ constexpr unsigned place(unsigned column, unsigned g, unsigned t) {
    return column * warp_size + ((t ^ (column & 1)) * tensor_columns + (g ^ (2 * t)));
  }
  /// @param column counted over the slab's steps, `bodies / tensor_columns` each
  __device__ void store(unsigned column, unsigned g, unsigned t, const Monomials& m) const {
    const unsigned at = place(column, g, t);
    if constexpr (sizeof(T) == 4) {
      wide()[at] = make_uint4(m.parts[0].x, m.parts[0].y, m.parts[1].x, m.parts[1].y);
      narrow()[at] = m.parts[2];
    } else {
      wide()[at] = m;
    }
  }
  [[nodiscard]] __device__ Monomials load(unsigned column, unsigned g, unsigned t) const {
    const unsigned at = place(column, g, t);
    if constexpr (sizeof(T) == 4) {
      const uint4 two = wide()[at];
      return {{make_uint2(two.x, two.y), make_uint2(two.z, two.w), narrow()[at]}};
    } else {
      return wide()[at];
    }
  }

 private:
  [[nodiscard]] __device__ Fragment<T>* wide() const { return reinterpret_cast<Fragment<T>*>(memory); }
  [[nodiscard]] __device__ uint2* narrow() const {
    return reinterpret_cast<uint2*>(memory + slab_steps<T> * bodies * 4 * 16);
  }
};

/// The monomials of a slab's first `steps` steps; all threads, one for each body and t.
template <class T, int bodies>
__device__ void make_monomial_slab(const MonomialFactors<T>* factors, int steps, const T* points,
                                   const MonomialSlab<T, bodies>& slab) {
  const unsigned all = static_cast<unsigned>(steps) * 4 * bodies;
#pragma unroll 1
  for (unsigned n = threadIdx.x; n < all; n += blockDim.x) {
    const unsigned row = n / bodies, body = n % bodies;
    const MonomialFactors<T> rows = factors[row];
    const T* point = points + body;
    T m[lane_monomials<T>];
#pragma unroll
    for (int k = 0; k < lane_monomials<T>; ++k)
      m[k] = point[rows.pairs[k].first * bodies] * point[rows.pairs[k].second * bodies];
    slab.store((row / 4 * bodies + body) / tensor_columns, body % tensor_columns, row % 4,
               TensorArithmetic<T>::monomials(m));
  }
}

/// A warp's sums for `row_tiles` tiles of rows, none among them, as its lanes hold them.
template <class T, int bodies, int row_tiles>
class TensorSums {
 public:
  /// Sums all steps. All threads of the block call, with sums of any number of tiles.
  /// @param fragments of this lane and the warp's first tile. @param first_column of the warp's
  __device__ void sum_steps(const TensorImage<T>& image, const Fragment<T>* fragments, const T* points,
                            unsigned char* slabs, unsigned first_column) {
    constexpr int slab_bytes = tensor_slab_bytes<T>(bodies);
    const int step_fragments = image.row_tiles * tile_fragments<T>;
    const MonomialFactors<T>* factors = image.factors;
    Coefficients c;
    if (loads_ahead) c.load(fragments);
    make_monomial_slab<T, bodies>(factors, min(slab_steps<T>, image.steps), points, {slabs});
    int buffer = 0;
#pragma unroll 1
    for (int left = image.steps; left > 0; left -= slab_steps<T>, buffer = slab_bytes - buffer) {
      __syncthreads();  // this slab is there, and nobody reads the one before any more
      factors += slab_steps<T> * 4;
      if (left > slab_steps<T>)
        make_monomial_slab<T, bodies>(factors, min(slab_steps<T>, left - slab_steps<T>), points,
                                      {slabs + (slab_bytes - buffer)});
#pragma unroll
      for (int step = 0; step < slab_steps<T>; ++step)
        if (step == 0 || step < left) {
          if (!loads_ahead) c.load(fragments);
          add_step(c, {slabs + buffer}, first_column + static_cast<unsigned>(step * bodies / tensor_columns));
          // Behind the last step the same once more, which nobody needs.
          if (!loads_ahead || step + 1 < left) fragments += step_fragments;
          if (loads_ahead) c.load(fragments);
        }
    }
  }

  /// Calls place(row)(body, value and that of the next body), rows and bodies counted from the warp's first.
  template <class Place>
  __device__ void store(const Place& place) const {
    const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
    for (int tile = 0; tile < row_tiles; ++tile)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const auto row = place(static_cast<unsigned>(tile * tensor_rows + half * 8) + lane / 4);
#pragma unroll
        for (int column = 0; column < columns; ++column)
          row(static_cast<unsigned>(column * tensor_columns) + lane % 4 * 2,
              Pair{values_[tile][column][2 * half], values_[tile][column][2 * half + 1]});
      }
  }

 private:
  using Arithmetic = TensorArithmetic<T>;
  using Pair = typename Arithmetic::Pair;
  static constexpr int columns = warp_bodies<T, bodies> / tensor_columns;
  static constexpr int held_tiles = row_tiles > 0 ? row_tiles : 1;
  // Whether coefficients arrive while monomials are made; in double there are no registers for that, nor is there need.
  static constexpr bool loads_ahead = sizeof(T) == 4;

  // A step's coefficients of the warp's rows.
  struct Coefficients {
    Fragment<T> tiles[held_tiles][tile_parts<T>];
    __device__ void load(const Fragment<T>* from) {
#pragma unroll
      for (int tile = 0; tile < row_tiles; ++tile)
#pragma unroll
        for (int part = 0; part < tile_parts<T>; ++part)
          tiles[tile][part] = from[tile * tile_fragments<T> + part * warp_size];
    }
  };

  __device__ void add_step(const Coefficients& c, const MonomialSlab<T, bodies>& slab, unsigned first_column) {
    if constexpr (row_tiles > 0) {
      const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
      for (int column = 0; column < columns; column += 2) {
        const typename Arithmetic::Monomials m[2] = {
            slab.load(first_column + static_cast<unsigned>(column), lane / 4, lane % 4),
            slab.load(first_column + static_cast<unsigned>(column) + 1, lane / 4, lane % 4)};
        Arithmetic::multiply_add(c.tiles, m, values_, column);
      }
    }
  }

  T values_[held_tiles][columns][4] = {};
};

/// The rows of H from tile `first_tile` of rows on, `block_tiles` of them, which the block's warps share, for bodies
/// with these points ([row][bodies], in any memory). place(row)(body, pair) takes a row's values of two bodies; it is
/// also called for rows that pad the last tile. All threads of the block, with two slabs of tensor_slab_bytes(), which
/// some may still read when others return: a barrier stands before their next use.
template <class T, int bodies, class Place>
__device__ void multiply_on_tensor_cores(const TensorImage<T>& image, const T* points, int first_tile, int block_tiles,
                                         unsigned char* slabs, const Place& place) {
  constexpr int warps_across = bodies / warp_bodies<T, bodies>;
  const int warp = static_cast<int>(threadIdx.x) / warp_size, across = warp % warps_across, down = warp / warps_across;
  const int warps_down = static_cast<int>(blockDim.x) / (warp_size * warps_across);
  // The first warps have a tile more; two at most, as the caller takes care.
  const int each = block_tiles / warps_down, more = block_tiles - each * warps_down;
  const int first = first_tile + each * down + min(down, more);
  const unsigned first_body = static_cast<unsigned>(across * warp_bodies<T, bodies>);
  const auto multiply = [&](auto row_tiles) {
    TensorSums<T, bodies, row_tiles> sums;
    sums.sum_steps(image, image.fragments + first * tile_fragments<T> + threadIdx.x % warp_size, points, slabs,
                   first_body / tensor_columns);
    sums.store([&](unsigned row) {
      const auto in_row = place(static_cast<unsigned>(first * tensor_rows) + row);
      return [=](unsigned body, const auto& pair) { in_row(first_body + body, pair); };
    });
  };
  const int own = each + (down < more ? 1 : 0);
  if (own == 2)
    multiply(std::integral_constant<int, 2>());
  else if (own == 1)
    multiply(std::integral_constant<int, 1>());
  else
    multiply(std::integral_constant<int, 0>());
}

}  // namespace quartic::cuda
