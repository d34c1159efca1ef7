// Loads of sets of vertices, and their resultants.
#include "quartic/loads.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <string>

#include "core/loads/face_loads.hpp"
#include "core/supports/vertex_set.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;
using Vector = std::array<double, 3>;

void require_load(const Vector& numbers, std::span<const std::int32_t> vertices, const char* what) {
  if (!Vector3d::Map(numbers.data()).allFinite())
    throw InputError(std::string("a ") + what + " needs numbers that are finite");
  if (vertices.empty()) throw InputError(std::string("a ") + what + " needs vertices that it acts on");
}

std::vector<BoundaryFace> loaded_faces(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                       const char* what) {
  std::vector<BoundaryFace> faces = boundary_faces_of(mesh, vertices);
  if (faces.empty())
    throw InputError(std::string("a ") + what +
                     " acts on boundary faces, but the set has no face whose vertices are all in it");
  return faces;
}

std::vector<PointForce> even_forces(const std::vector<std::int32_t>& vertices, const Vector3d& force) {
  const Vector3d share = force / static_cast<double>(vertices.size());
  std::vector<PointForce> forces;
  for (const std::int32_t v : vertices) forces.push_back({v, {share[0], share[1], share[2]}});
  return forces;
}

// One entry per vertex, ascending.
std::vector<PointForce> summed(const VolumeMesh& mesh, const std::vector<PointForce>& parts) {
  const std::vector<double> whole = force_vector(parts, mesh.vertex_count());
  std::vector<std::int32_t> vertices;
  for (const PointForce& part : parts) vertices.push_back(part.vertex);
  std::vector<PointForce> forces;
  for (const std::int32_t v : distinct_vertices(vertices)) {
    const double* const f = whole.data() + 3 * std::ptrdiff_t{v};
    forces.push_back({v, {f[0], f[1], f[2]}});
  }
  return forces;
}

}  // namespace

std::vector<PointForce> spread_force(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                     const Vector& force) {
  require_load(force, vertices, "force");
  const std::vector<BoundaryFace> faces = boundary_faces_of(mesh, vertices);
  double area = 0;
  for (const BoundaryFace& face : faces) area += area_of(mesh, face);
  const Vector3d whole = Vector3d::Map(force.data());
  if (!(area > 0)) return even_forces(distinct_vertices(vertices), whole);
  std::vector<PointForce> parts;
  for (const BoundaryFace& face : faces) add_traction(mesh, face, whole / area, parts);
  return summed(mesh, parts);
}

std::vector<PointForce> traction_forces(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                        const Vector& traction) {
  require_load(traction, vertices, "traction");
  std::vector<PointForce> parts;
  for (const BoundaryFace& face : loaded_faces(mesh, vertices, "traction"))
    add_traction(mesh, face, Vector3d::Map(traction.data()), parts);
  return summed(mesh, parts);
}

std::vector<PointForce> pressure_forces(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                        double pressure) {
  require_load({pressure, 0, 0}, vertices, "pressure");
  std::vector<PointForce> parts;
  for (const BoundaryFace& face : loaded_faces(mesh, vertices, "pressure")) add_pressure(mesh, face, pressure, parts);
  return summed(mesh, parts);
}

double face_area(const VolumeMesh& mesh, std::span<const std::int32_t> vertices) {
  double sum = 0;
  for (const BoundaryFace& face : boundary_faces_of(mesh, vertices)) sum += area_of(mesh, face);
  return sum;
}

std::vector<double> force_vector(std::span<const PointForce> forces, std::int64_t vertex_count) {
  std::vector<double> whole(static_cast<std::size_t>(3 * vertex_count));
  for (const PointForce& load : forces) {
    if (load.vertex < 0 || load.vertex >= vertex_count)
      throw InputError("a force acts on vertex " + std::to_string(load.vertex) + ", outside 0 .. " +
                       std::to_string(vertex_count - 1));
    for (std::size_t c = 0; c < 3; ++c) whole[3 * static_cast<std::size_t>(load.vertex) + c] += load.force[c];
  }
  return whole;
}

LoadTotals load_totals(const VolumeMesh& mesh, std::span<const double> force, const Vector& point) {
  if (force.size() != mesh.vertices.size())
    throw InputError("a load needs three numbers per vertex, " + std::to_string(mesh.vertices.size()) + ", not " +
                     std::to_string(force.size()));
  Vector3d sum = Vector3d::Zero(), moment = Vector3d::Zero();
  for (std::size_t i = 0; i < force.size(); i += 3) {
    const Vector3d f = Vector3d::Map(force.data() + i);
    sum += f;
    moment += (Vector3d::Map(mesh.vertices.data() + i) - Vector3d::Map(point.data())).cross(f);
  }
  return {{sum[0], sum[1], sum[2]}, {moment[0], moment[1], moment[2]}};
}

}  // namespace quartic
