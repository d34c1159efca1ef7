// Masses and springs of a set, spread over its vertices.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/supports/boundary_areas.hpp"
#include "core/supports/vertex_set.hpp"
#include "quartic/attachments.hpp"
#include "quartic/error.hpp"
#include "quartic/supports.hpp"

namespace quartic {
namespace {

void require_whole(double whole, std::span<const std::int32_t> vertices, const char* what) {
  if (!(whole >= 0) || !std::isfinite(whole))
    throw InputError(std::string("the ") + what + " of a set must be a finite number of 0 or more");
  if (vertices.empty()) throw InputError(std::string("a ") + what + " needs vertices that it is spread over");
}

// The mean displacement of a set along x, y or z.
void add_mean(const VolumeMesh& mesh, const std::vector<std::int32_t>& vertices, std::size_t axis, double sign,
              std::vector<DisplacementTerm>& terms) {
  const std::vector<double> shares = area_shares(mesh, vertices);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (shares[i] > 0) terms.emplace_back(DisplacementTerm{vertices[i], {}}).factors[axis] = sign * shares[i];
}

}  // namespace

std::vector<double> area_shares(const VolumeMesh& mesh, std::span<const std::int32_t> vertices, double* area) {
  std::vector<double> areas(static_cast<std::size_t>(mesh.vertex_count()));
  double sum = 0;
  for (const FaceCorner& corner : boundary_corners(mesh, vertices)) {
    areas[static_cast<std::size_t>(corner.vertex)] += corner.area;
    sum += corner.area;
  }
  if (area != nullptr) *area = sum;
  std::vector<double> shares;
  for (const std::int32_t v : vertices)
    shares.push_back(sum > 0 ? areas[static_cast<std::size_t>(v)] / sum : 1 / static_cast<double>(vertices.size()));
  return shares;
}

std::vector<PointMass> spread_mass(const VolumeMesh& mesh, std::span<const std::int32_t> list, double mass) {
  require_whole(mass, list, "mass");
  const std::vector<std::int32_t> vertices = distinct_vertices(list);
  const std::vector<double> shares = area_shares(mesh, vertices);
  std::vector<PointMass> masses;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (shares[i] > 0) masses.push_back({vertices[i], mass * shares[i]});
  return masses;
}

std::vector<PointMass> spread_mass_per_area(const VolumeMesh& mesh, std::span<const std::int32_t> list,
                                            double mass_per_area) {
  require_whole(mass_per_area, list, "mass per area");
  double area = 0;
  static_cast<void>(area_shares(mesh, distinct_vertices(list), &area));
  if (area == 0)
    throw InputError("a mass per area needs a face: the set has no boundary face whose vertices are all in it");
  return spread_mass(mesh, list, mass_per_area * area);
}

std::vector<Spring> springs_between(const VolumeMesh& mesh, std::span<const std::int32_t> a,
                                    std::span<const std::int32_t> b, double stiffness) {
  require_whole(stiffness, a, "stiffness");
  require_whole(stiffness, b, "stiffness");
  const std::vector<std::int32_t> first = distinct_vertices(a), second = distinct_vertices(b);
  if (first == second) throw InputError("springs between a set and itself stretch by nothing: give two sets");
  std::vector<Spring> springs;
  for (std::size_t c = 0; c < 3; ++c) {
    Spring& spring = springs.emplace_back(Spring{{}, stiffness});
    add_mean(mesh, first, c, 1, spring.terms);
    add_mean(mesh, second, c, -1, spring.terms);
  }
  return springs;
}

std::vector<Spring> springs_to_ground(const VolumeMesh& mesh, std::span<const std::int32_t> list, double stiffness) {
  require_whole(stiffness, list, "stiffness");
  const std::vector<std::int32_t> vertices = distinct_vertices(list);
  const std::vector<double> shares = area_shares(mesh, vertices);
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
