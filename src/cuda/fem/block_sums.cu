// A thread per block, which goes through the elements of the row's vertex and looks for the column's among their
// corners. Per element and point 45 flops for 56 bytes, most of them from the cache.
#include "cuda/base/runtime.hpp"
#include "cuda/fem/block_sums.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 128;

// The row that a block is in.
__device__ std::int64_t row_of(const GraphView& graph, std::int64_t block) {
  std::int64_t low = 0, high = graph.vertices - 1;
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (graph.row_offsets[middle] <= block)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// Calls body(element of the block, corner a) for the tile's elements at a vertex.
template <class Body>
__device__ void for_each_element(const ElementTile& tile, std::int64_t vertex, const Body& body) {
  const int corners = tile.range.block.corners, points = tile.range.rule.points;
  const std::int64_t begin = tile.range.first / points * corners,
                     places = std::int64_t{tile.range.count} / points * corners;
  const IncidenceView& incidence = tile.incidence;
  for (std::int64_t i = incidence.first_from(vertex, begin); i < incidence.offsets[vertex + 1]; ++i) {
    const std::int64_t place = incidence.places[i];
    if (place >= begin + places) return;
    body(place / corners, static_cast<int>(place % corners));
  }
}

// Calls body(element, a, b) for those that have another vertex as corner b.
template <class Body>
__device__ void for_each_edge(const ElementTile& tile, std::int64_t vertex, std::int32_t other, const Body& body) {
  const int corners = tile.range.block.corners;
  for_each_element(tile, vertex, [&](std::int64_t element, int a) {
    const std::int32_t* vertices = tile.range.block.vertices + element * corners;
    for (int b = 0; b < corners; ++b)
      if (vertices[b] == other) body(element, a, b);
  });
}

// Where an element's first point stands among the tile's.
__device__ std::int64_t first_point(const ElementTile& tile, std::int64_t element) {
  return element * tile.range.rule.points - tile.range.first;
}

__global__ void __launch_bounds__(threads)
    stiffness(const ElementTile tile, const GraphView graph, const double* lambda, const double* mu, double* values,
              int stride) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n >= graph.blocks) return;
  double sums[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) sums[k] = values[n * stride + k];
  const std::int64_t pitch = tile.range.pitch;
  for_each_edge(tile, row_of(graph, n), graph.columns[n], [&](std::int64_t element, int a, int b) {
    const std::int32_t region = tile.range.block.region[element];
    const std::int64_t first = first_point(tile, element);
    for (int p = 0; p < tile.range.rule.points; ++p) {
      const double* from = tile.geometries.gradient + first + p;
      double ga[3], gb[3];
#pragma unroll
      for (int d = 0; d < 3; ++d) ga[d] = from[(3 * a + d) * pitch], gb[d] = from[(3 * b + d) * pitch];
      const double weight = tile.geometries.weight[first + p];
      const double l = weight * lambda[region], m = weight * mu[region];
      const double shear = m * fma(ga[2], gb[2], fma(ga[1], gb[1], ga[0] * gb[0]));
#pragma unroll
      for (int c = 0; c < 3; ++c) {
#pragma unroll
        for (int d = 0; d < 3; ++d)  // products of both gradients first: they don't depend on which is a
          sums[3 * c + d] = fma(m, ga[d] * gb[c], fma(l, ga[c] * gb[d], sums[3 * c + d]));
        sums[4 * c] += shear;
      }
    }
  });
#pragma unroll
  for (int k = 0; k < 9; ++k) values[n * stride + k] = sums[k];
}

__global__ void __launch_bounds__(threads, 4)
    mass(const ElementTile tile, const GraphView graph, const double* density, double* values) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n >= graph.blocks) return;
  const RuleView& rule = tile.range.rule;
  const int corners = tile.range.block.corners;
  double sum = values[n];
  for_each_edge(tile, row_of(graph, n), graph.columns[n], [&](std::int64_t element, int a, int b) {
    const double rho = density[tile.range.block.region[element]];
    const double* weight = tile.geometries.weight + first_point(tile, element);
    for (int p = 0; p < rule.points; ++p)
      sum = fma(weight[p] * rho, rule.values[p * corners + a] * rule.values[p * corners + b], sum);
  });
  values[n] = sum;
}

// Of one element: the share of corner a.
__device__ double lumped_share(const RuleView& rule, const double* weight, int corners, bool quadratic, int a) {
  double row = 0, diagonal = 0, total = 0, trace = 0;
  for (int p = 0; p < rule.points; ++p) {
    const double* phi = rule.values + p * corners;
    double squares = 0;
    for (int b = 0; b < corners && quadratic; ++b) squares = fma(phi[b], phi[b], squares);
    row = fma(weight[p], phi[a], row);  // the shape functions' sum is one
    diagonal = fma(weight[p], phi[a] * phi[a], diagonal);
    total += weight[p];
    trace = fma(weight[p], squares, trace);
  }
  return quadratic ? diagonal * (total / trace) : row;
}

__global__ void __launch_bounds__(threads)
    lumped_mass(const ElementTile tile, bool quadratic, std::int64_t vertices, const double* density, double* values) {
  const std::int64_t vertex = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (vertex >= vertices) return;
  double sum = values[vertex];
  for_each_element(tile, vertex, [&](std::int64_t element, int a) {
    const double* weight = tile.geometries.weight + first_point(tile, element);
    sum = fma(density[tile.range.block.region[element]],
              lumped_share(tile.range.rule, weight, tile.range.block.corners, quadratic, a), sum);
  });
  values[vertex] = sum;
}

LaunchShape shape_for(std::int64_t work) {
  return {dim3(static_cast<unsigned>((work + threads - 1) / threads)), dim3(threads)};
}

}  // namespace

void add_stiffness(const ElementTile& tile, const GraphView& graph, const double* lambda, const double* mu,
                   double* values, int stride, cudaStream_t stream) {
  launch(stiffness, shape_for(graph.blocks), stream, tile, graph, lambda, mu, values, stride);
}

void add_mass(const ElementTile& tile, const GraphView& graph, const double* density, double* values,
              cudaStream_t stream) {
  launch(mass, shape_for(graph.blocks), stream, tile, graph, density, values);
}

void add_lumped_mass(const ElementTile& tile, bool quadratic, std::int64_t vertices, const double* density,
                     double* values, cudaStream_t stream) {
  launch(lumped_mass, shape_for(vertices), stream, tile, quadratic, vertices, density, values);
}

}  // namespace quartic::cuda
