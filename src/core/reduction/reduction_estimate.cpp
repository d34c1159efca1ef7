// What a reduction costs, from counts alone. Each stage grows with what it works on:
//   energy             quadrature points, and the square of the number of products of coordinates (a rank-k update)
//   modal derivatives  quadrature points and solves with the factor, both for each pair of modes
//   basis              vertices and, a little less than its square, the number of fields
//   linear modes       solves with the factor, for each block of vectors
//   factorisation      vertices, and above some ten thousand the square of their number
// A solve reads the factor, whose entries grow as n^(4/3) in three dimensions, and leaves the caches on the way: as
// measured, n^(5/3). Coefficients are those of two processors of 2020 (docs/performance.md has the runs): beams, a
// bridge and a heart of 12,960 to 1,054,560 tet4, 480 and 3,840 tet10, and 2,160 to 17,280 hex8, most of which they
// meet within a third. A slender body's factor is smaller and a compact body's larger than what stands here for both.
#include <cmath>

#include "core/elements/elements.hpp"
#include "core/elements/quadrature.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"

namespace quartic {
namespace {

constexpr int measured_modes = 20, measured_rank = 30;

/// Linear modes and their derivatives.
double field_count(int modes) {
  return modes * (modes + 3.0) / 2;
}

/// Linear and quadratic terms of the strains in reduced coordinates.
double term_count(int rank) {
  return rank * (rank + 3.0) / 2;
}

double growth(double value, double measured, double exponent) {
  return std::pow(value / measured, exponent);
}

double quadrature_point_count(const VolumeMesh& mesh) {
  double points = 0;
  for (const ElementBlock& block : mesh.blocks)
    points += static_cast<double>(block.count()) * static_cast<double>(stiffness_rule(block).weights.size());
  return points;
}

double used_vertex_count(const VolumeMesh& mesh) {
  std::vector<bool> used(static_cast<std::size_t>(mesh.vertex_count()));
  double count = 0;
  for (const ElementBlock& block : mesh.blocks)
    for (const std::int32_t v : block.vertices) {
      if (!used[static_cast<std::size_t>(v)]) ++count;
      used[static_cast<std::size_t>(v)] = true;
    }
  return count;
}

}  // namespace

ReductionEstimate estimate_reduction(const VolumeMesh& mesh, int modes, int rank) {
  require_indices(mesh);
  if (modes < 1 || rank < 1 || rank > rank_limit)
    throw InputError("an estimate needs 1 mode or more and a rank of 1 .. " + std::to_string(rank_limit));
  const double n = used_vertex_count(mesh), points = quadrature_point_count(mesh);
  const double beyond_caches = growth(n, 1e4, 2.0 / 3);
  const double pairs = growth(modes * (modes + 1.0), measured_modes * (measured_modes + 1.0), 1);
  const double energy = 31e-6 * points * growth(term_count(rank), term_count(measured_rank), 1.85);
  const double derivatives = pairs * (8e-6 * points + n * (25e-6 + 35e-6 * beyond_caches));
  const double basis = 85e-6 * n * growth(field_count(modes), field_count(measured_modes), 1.5);
  const double linear_modes = n * (55e-6 + 33e-6 * beyond_caches) * growth(modes, measured_modes, 0.65);
  const double factorisation = 20e-6 * n + 3e-9 * n * n;
  ReductionEstimate estimate;
  estimate.seconds = energy + derivatives + basis + linear_modes + factorisation;
  // The program itself; three copies of the fields; the factor and what it is made from.
  estimate.bytes = 25e6 + n * (3 * 24 * field_count(modes) + 500 * std::cbrt(n));
  return estimate;
}

}  // namespace quartic
