// With A the fields' gradients, L = sym A and S(E) = lambda tr(E) I + 2 mu E, the second derivative of the first Piola
// stress in directions i and j is D = A_i S(L_j) + A_j S(L_i) + S(sym(A_i^T A_j)), and vertex a gets w D g_a. The last
// term alone is the quadratic stress.
//
// A thread per point and pair: some 230 flops for 144 bytes read, most of them from the cache, and 72 written. Then a
// thread per component of an element's force: 6 flops per point, read mostly from the cache. Then one per degree of
// freedom.
#include "cuda/base/runtime.hpp"
#include "cuda/fem/second_derivatives.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 128;

struct WeightedLame {
  double lambda, mu;
};

// w S(sym E).
__device__ void weighted_stress(const WeightedLame& lame, const double (&e)[9], double (&s)[9]) {
  const double pressure = lame.lambda * (e[0] + e[4] + e[8]);
#pragma unroll
  for (int r = 0; r < 3; ++r)
#pragma unroll
    for (int c = 0; c < 3; ++c) s[3 * r + c] = fma(lame.mu, e[3 * r + c] + e[3 * c + r], r == c ? pressure : 0.0);
}

// d += a s.
__device__ void add_product(const double (&a)[9], const double (&s)[9], double (&d)[9]) {
#pragma unroll
  for (int r = 0; r < 3; ++r)
#pragma unroll
    for (int c = 0; c < 3; ++c)
#pragma unroll
      for (int k = 0; k < 3; ++k) d[3 * r + c] = fma(a[3 * r + k], s[3 * k + c], d[3 * r + c]);
}

__device__ void load_gradient(const double* from, std::int64_t pitch, double (&to)[9]) {
#pragma unroll
  for (int k = 0; k < 9; ++k) to[k] = from[k * pitch];
}

// out = A^T B.
__device__ void multiply_transposed(const double (&a)[9], const double (&b)[9], double (&out)[9]) {
#pragma unroll
  for (int r = 0; r < 3; ++r)
#pragma unroll
    for (int c = 0; c < 3; ++c)
#pragma unroll
      for (int k = 0; k < 3; ++k) out[3 * r + c] = fma(a[3 * k + r], b[3 * k + c], k == 0 ? 0.0 : out[3 * r + c]);
}

template <StressTerms terms>
__global__ void __launch_bounds__(threads) stresses(const DerivativeTile tile) {
  const int t = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  const PointRange& range = tile.range;
  if (t >= range.count) return;
  const std::int64_t pitch = range.pitch;
  const FieldPair pair = tile.pairs[blockIdx.y];
  const std::int32_t region = range.block.region[range.element(t)];
  const double weight = tile.geometries.weight[t];
  const WeightedLame lame{weight * tile.lambda[region], weight * tile.mu[region]};
  double a[9], b[9], product[9], d[9];
  load_gradient(tile.gradients + 9 * pair.first * pitch + t, pitch, a);
  load_gradient(tile.gradients + 9 * pair.second * pitch + t, pitch, b);
  multiply_transposed(a, b, product);
  weighted_stress(lame, product, d);
  if constexpr (terms == StressTerms::all) {
    double stress[9];
    weighted_stress(lame, b, stress);
    add_product(a, stress, d);
    weighted_stress(lame, a, stress);
    add_product(b, stress, d);
  }
  double* out = tile.stresses + 9 * blockIdx.y * pitch + t;
#pragma unroll
  for (int k = 0; k < 9; ++k) out[k * pitch] = d[k];
}

__global__ void __launch_bounds__(threads) element_forces(const DerivativeTile tile) {
  const int corners = tile.range.block.corners, points = tile.range.rule.points;
  const std::int64_t size = std::int64_t{3} * corners * tile.elements;
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n >= size) return;
  const std::int64_t pitch = tile.range.pitch;
  const int component = static_cast<int>(n % 3), corner = static_cast<int>(n / 3 % corners);
  const std::int64_t first_point = n / 3 / corners * points;
  const double* d = tile.stresses + (9 * std::int64_t{blockIdx.y} + 3 * component) * pitch + first_point;
  const double* g = tile.geometries.gradient + 3 * corner * pitch + first_point;
  double sum = 0;
  for (int p = 0; p < points; ++p)
#pragma unroll
    for (int k = 0; k < 3; ++k) sum = fma(d[k * pitch + p], g[k * pitch + p], sum);
  tile.forces[blockIdx.y * size + n] = sum;
}

__global__ void __launch_bounds__(threads) gather(const DerivativeTile tile, const IncidenceView incidence,
                                                  std::int64_t dofs, double factor, const ForceTarget target) {
  const std::int64_t dof = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (dof >= dofs) return;
  const std::int64_t row = target.row_of_dof == nullptr ? dof : target.row_of_dof[dof];
  if (row < 0) return;
  const int corners = tile.range.block.corners;
  const std::int64_t vertex = dof / 3, places = std::int64_t{corners} * tile.elements;
  const std::int64_t begin = tile.range.first / tile.range.rule.points * corners;
  const double* forces = tile.forces + blockIdx.y * 3 * places + dof % 3;
  double* out = target.out + blockIdx.y * target.stride + row;
  double sum = *out;
  for (std::int64_t i = incidence.first_from(vertex, begin); i < incidence.offsets[vertex + 1]; ++i) {
    const std::int64_t place = incidence.places[i] - begin;
    if (place >= places) break;
    sum = fma(factor, forces[3 * place], sum);
  }
  *out = sum;
}

dim3 grid_of(std::int64_t work, int pairs) {
  return {static_cast<unsigned>((work + threads - 1) / threads), static_cast<unsigned>(pairs)};
}

}  // namespace

void differentiate_stress(const DerivativeTile& tile, cudaStream_t stream) {
  launch(tile.terms == StressTerms::all ? stresses<StressTerms::all> : stresses<StressTerms::quadratic>,
         {grid_of(tile.range.count, tile.pair_count), dim3(threads)}, stream, tile);
}

void make_element_forces(const DerivativeTile& tile, cudaStream_t stream) {
  const std::int64_t size = std::int64_t{3} * tile.range.block.corners * tile.elements;
  launch(element_forces, {grid_of(size, tile.pair_count), dim3(threads)}, stream, tile);
}

void gather_forces(const DerivativeTile& tile, const IncidenceView& incidence, std::int64_t vertex_count, double factor,
                   const ForceTarget& target, cudaStream_t stream) {
  launch(gather, {grid_of(3 * vertex_count, tile.pair_count), dim3(threads)}, stream, tile, incidence, 3 * vertex_count,
         factor, target);
}

}  // namespace quartic::cuda
