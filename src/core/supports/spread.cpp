// Masses and springs of a set, spread over its vertices.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/supports/boundary_areas.hpp"
#include "core/supports/vertex_set.hpp"
#include "quartic/error.hpp"
#include "quartic/supports.hpp"

namespace quartic {
namespace {

// For each vertex its share of the whole, by area where the vertices make up faces. The sum is 1.
std::vector<double> shares_of(const VolumeMesh& mesh, std::span<const std::int32_t> vertices) {
  std::vector<double> area(static_cast<std::size_t>(mesh.vertex_count()));
  double sum = 0;
  for (const FaceCorner& corner : boundary_corners(mesh, vertices)) {
    area[static_cast<std::size_t>(corner.vertex)] += corner.area;
    sum += corner.area;
  }
  std::vector<double> shares;
  for (const std::int32_t v : vertices)
    shares.push_back(sum > 0 ? area[static_cast<std::size_t>(v)] / sum : 1 / static_cast<double>(vertices.size()));
  return shares;
}

void require_whole(double whole, std::span<const std::int32_t> vertices, const char* what) {
  if (!(whole >= 0) || !std::isfinite(whole))
    throw InputError(std::string("the ") + what + " of a set must be a finite number of 0 or more");
  if (vertices.empty()) throw InputError(std::string("a ") + what + " needs vertices that it is spread over");
}

}  // namespace

std::vector<PointMass> spread_mass(const VolumeMesh& mesh, std::span<const std::int32_t> list, double mass) {
  require_whole(mass, list, "mass");
  const std::vector<std::int32_t> vertices = distinct_vertices(list);
  const std::vector<double> shares = shares_of(mesh, vertices);
  std::vector<PointMass> masses;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (shares[i] > 0) masses.push_back({vertices[i], mass * shares[i]});
  return masses;
}

std::vector<Spring> springs_to_ground(const VolumeMesh& mesh, std::span<const std::int32_t> list, double stiffness) {
  require_whole(stiffness, list, "stiffness");
  const std::vector<std::int32_t> vertices = distinct_vertices(list);
  const std::vector<double> shares = shares_of(mesh, vertices);
  std::vector<Spring> springs;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    for (std::size_t c = 0; c < 3 && shares[i] > 0; ++c) {
      DisplacementTerm term{vertices[i], {}};
      term.factors[c] = 1;
      springs.push_back({{term}, stiffness * shares[i]});
    }
  return springs;
}

}  // namespace quartic
