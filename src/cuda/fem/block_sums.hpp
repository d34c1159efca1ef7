// Kernels of the assembly: each 3 x 3 block of K and each number of M is the sum over the elements that have both of
// its vertices, one after the other. Nothing is scattered, so that sums need no atomics and have one order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/fem/incidence_view.hpp"
#include "cuda/fem/quadrature_points.hpp"

namespace quartic::cuda {

/// Vertices that share an element: the block columns of each block row, ascending.
struct GraphView {
  std::int64_t vertices, blocks;
  const std::int32_t* row_offsets;  // [vertex + 1]
  const std::int32_t* columns;      // [block]
};

/// A tile of whole elements with their points; sums go on where those of the tile before ended.
struct ElementTile {
  PointRange range;
  PointGeometries geometries;
  IncidenceView incidence;
};

/// K_ab += sum of w (lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I). The same bits as K_ba^T.
/// @param values blocks of nine numbers by rows, each `stride` numbers behind the one before
void add_stiffness(const ElementTile& tile, const GraphView& graph, const double* lambda, const double* mu,
                   double* values, int stride, cudaStream_t stream);

/// m_ab += sum of rho w phi_a phi_b, a number per block.
void add_mass(const ElementTile& tile, const GraphView& graph, const double* density, double* values,
              cudaStream_t stream);

/// Masses of the vertices, [vertex]: row sums of m, or for quadratic elements its diagonal scaled to the element's
/// mass.
void add_lumped_mass(const ElementTile& tile, bool quadratic, std::int64_t vertices, const double* density,
                     double* values, cudaStream_t stream);

}  // namespace quartic::cuda
