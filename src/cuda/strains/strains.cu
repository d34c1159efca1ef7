// B_ab = sym(A_a^T A_b) of all pairs a <= b: lane = point, a warp has 32 points and the rows a and rank - a, which
// together have as many pairs as any other two. A_a stays in registers, A_b comes from the cache. Per pair and point
// some 65 flops and 48 bytes written, of which 256 lie side by side: bound by the writes.
// Linear strains are B_0a; those of fields that aren't paired are a thread's per field and point. Sums of slices: a
// thread per entry.
#include "core/energy/symmetric_tensor.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/strains/strains.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 128;
constexpr int lanes = 32, warps = 8;  // of a block for pairs

__global__ void __launch_bounds__(threads)
    scale(const PointRange range, const double* weight, const double* lambda, const double* mu, double* scales) {
  const int t = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (t >= range.pitch) return;
  double trace = 0, rest = 0;
  if (t < range.count) {
    const std::int32_t region = range.block.region[range.element(t)];
    trace = sqrt((3 * lambda[region] + 2 * mu[region]) / 3 * weight[t]);
    rest = sqrt(2 * mu[region] * weight[t]);
  }
  const std::int64_t pitch = range.pitch;
  scales[t] = trace;
  scales[pitch + t] = rest * sqrt(0.5);
  scales[2 * pitch + t] = rest * sqrt(1.0 / 6);
}

__global__ void __launch_bounds__(threads) identity(int points, double* gradients) {
  const int t = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (t >= points) return;
  for (int k = 0; k < 9; ++k) gradients[std::int64_t{k} * points + t] = k % 4 == 0 ? 1 : 0;
}

// a . b of two columns of 3 x 3 matrices.
__device__ double column_product(const double* a, const double* b) {
  return fma(a[6], b[6], fma(a[3], b[3], a[0] * b[0]));
}
// a_i . b_j + a_j . b_i.
__device__ double mixed_product(const double* a, const double* b, int i, int j) {
  double sum = column_product(a + i, b + j);
  sum = fma(a[j], b[i], sum);
  sum = fma(a[3 + j], b[3 + i], sum);
  return fma(a[6 + j], b[6 + i], sum);
}

template <int strains>
__device__ void write_strains(const double (&a)[9], const double (&b)[9], const double (&s)[3], std::int64_t stride,
                              double* out) {
  const double xx = column_product(a, b), yy = column_product(a + 1, b + 1), zz = column_product(a + 2, b + 2);
  out[0] = s[0] * (xx + yy + zz);
  if (strains == 1) return;
  out[stride] = s[1] * (xx - yy);
  out[2 * stride] = s[2] * fma(-2.0, zz, xx + yy);
  out[3 * stride] = s[1] * mixed_product(a, b, 1, 2);
  out[4 * stride] = s[1] * mixed_product(a, b, 0, 2);
  out[5 * stride] = s[1] * mixed_product(a, b, 0, 1);
}

__device__ void load_gradient(const double* from, std::int64_t pitch, double (&to)[9]) {
#pragma unroll
  for (int k = 0; k < 9; ++k) to[k] = from[k * pitch];
}

// The pairs of row a: b = a .. rank.
template <int strains>
__device__ void write_row(const StrainTile& tile, int a, const double* gradients, const double (&s)[3], double* out) {
  const std::int64_t pitch = tile.points, stride = tile.slice_points, next_pair = strains * stride;
  double left[9], right[9];
  load_gradient(gradients + 9 * a * pitch, pitch, left);
  const int first = a == 0 ? 1 : a;
  out += (static_cast<std::int64_t>(pair_index(a, first, tile.rank + 1)) - 1) * next_pair;
  gradients += 9 * first * pitch;
  for (int b = first; b <= tile.rank; ++b, gradients += 9 * pitch, out += next_pair) {
    load_gradient(gradients, pitch, right);
    write_strains<strains>(left, right, s, stride, out);
  }
}

template <int strains>
__global__ void __launch_bounds__(lanes* warps, 2) pair_strains(const StrainTile tile) {
  const int t = static_cast<int>(blockIdx.x) * lanes + static_cast<int>(threadIdx.x);
  const int a = static_cast<int>(blockIdx.y) * warps + static_cast<int>(threadIdx.y);
  if (t >= tile.points || a > tile.rank - a) return;
  double s[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) s[k] = tile.scales[std::int64_t{k} * tile.points + t];
  double* out = tile.result + tile.first_of(t, 0);
  const double* gradients = tile.gradients + t;
  write_row<strains>(tile, a, gradients, s, out);
  if (a != tile.rank - a) write_row<strains>(tile, tile.rank - a, gradients, s, out);
}

template <int strains>
__global__ void __launch_bounds__(threads) linear_strains(const StrainTile tile) {
  const int t = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (t >= tile.points) return;
  const int field = static_cast<int>(blockIdx.y), pairs = (tile.rank + 1) * (tile.rank + 2) / 2 - 1;
  const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double s[3], a[9];
#pragma unroll
  for (int k = 0; k < 3; ++k) s[k] = tile.scales[std::int64_t{k} * tile.points + t];
  load_gradient(tile.gradients + std::int64_t{9} * (1 + tile.rank + field) * tile.points + t, tile.points, a);
  write_strains<strains>(unit, a, s, tile.slice_points, tile.result + tile.first_of(t, pairs + field));
}

__global__ void __launch_bounds__(threads) add_slices(std::int64_t entries, int count, double* sums) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n >= entries) return;
  double sum = sums[n];
  for (int m = 1; m < count; ++m) sum += sums[m * entries + n];
  sums[n] = sum;
}

unsigned blocks(std::int64_t size) {
  return static_cast<unsigned>((size + threads - 1) / threads);
}

}  // namespace

void scale_strains(const PointRange& range, const double* weight, const double* lambda, const double* mu,
                   double* scales, cudaStream_t stream) {
  launch(scale, {dim3(blocks(range.pitch)), dim3(threads)}, stream, range, weight, lambda, mu, scales);
}

void multiply_pairs(const StrainTile& tile, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((tile.points + lanes - 1) / lanes),
                  static_cast<unsigned>((tile.rank / 2 + warps) / warps));
  launch(tile.strains == 1 ? pair_strains<1> : pair_strains<6>, {grid, dim3(lanes, warps)}, stream, tile);
}

void strain_linearly(const StrainTile& tile, cudaStream_t stream) {
  launch(tile.strains == 1 ? linear_strains<1> : linear_strains<6>,
         {dim3(blocks(tile.points), static_cast<unsigned>(tile.linear)), dim3(threads)}, stream, tile);
}

void sum_slices(std::int64_t entries, int count, double* sums, cudaStream_t stream) {
  if (count > 1) launch(add_slices, {dim3(blocks(entries)), dim3(threads)}, stream, entries, count, sums);
}

void fill_identity(int points, double* gradients, cudaStream_t stream) {
  launch(identity, {dim3(blocks(points)), dim3(threads)}, stream, points, gradients);
}

}  // namespace quartic::cuda
