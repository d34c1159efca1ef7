#include "quartic/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "quartic/error.hpp"

namespace quartic {
namespace {

using ForceMap = std::map<std::int32_t, std::array<double, 3>>;  // by vertex

ForceMap summed(const RecordedLoad& load) {
  ForceMap sum;
  for (const VertexForce& force : load.forces)
    for (std::size_t c = 0; c < 3; ++c) sum[force.vertex][c] += force.force[c];
  return sum;
}

double distance(const ForceMap& a, const ForceMap& b) {
  ForceMap difference = a;
  for (const auto& [vertex, force] : b)
    for (std::size_t c = 0; c < 3; ++c) difference[vertex][c] -= force[c];
  double square = 0;
  for (const auto& [vertex, force] : difference)
    for (const double x : force) square += x * x;
  return std::sqrt(square);
}

}  // namespace

std::vector<double> force_vector(std::span<const VertexForce> forces, std::int64_t vertex_count) {
  std::vector<double> vector(static_cast<std::size_t>(3 * vertex_count));
  for (const VertexForce& force : forces) {
    if (force.vertex < 0 || force.vertex >= vertex_count)
      throw InputError("there is no vertex " + std::to_string(force.vertex) + "; the mesh has vertices 0 to " +
                       std::to_string(vertex_count - 1));
    for (std::size_t c = 0; c < 3; ++c) vector[3 * static_cast<std::size_t>(force.vertex) + c] += force.force[c];
  }
  return vector;
}

std::vector<std::int64_t> select_loads(std::span<const RecordedLoad> loads, double separation) {
  if (!(separation >= 0 && separation <= 1)) throw InputError("the separation of loads must lie in [0, 1]");
  std::vector<ForceMap> sums;
  double largest = 0;
  for (const RecordedLoad& load : loads) {
    sums.push_back(summed(load));
    largest = std::max(largest, distance(sums.back(), {}));
  }
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double size = distance(sums[i], {});
    if (size == 0 || size < separation * largest) continue;
    if (!kept.empty() && distance(sums[i], sums[static_cast<std::size_t>(kept.back())]) < separation * largest)
      continue;
    kept.push_back(static_cast<std::int64_t>(i));
  }
  return kept;
}

void follow_loads(StaticSolver& solver, std::span<const RecordedLoad> loads, std::int64_t vertex_count,
                  const std::function<void(std::int64_t, const Equilibrium&)>& report) {
  std::vector<double> start;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    Equilibrium end = solver.solve(force_vector(loads[i].forces, vertex_count), start);
    report(static_cast<std::int64_t>(i), end);
    if (end.converged) start = std::move(end.solution);
  }
}

}  // namespace quartic
