#include "core/symmetry/mirrors.hpp"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/elements/quadrature.hpp"
#include "core/mesh/coincident_vertices.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;
using Points = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>>;

Points points_of(const VolumeMesh& mesh) {
  return {mesh.vertices.data(), 3, mesh.vertex_count()};
}

// Farthest from the centre, within the tolerance: mirrors exchange them. A few are enough.
std::vector<Eigen::Index> farthest_points(const Points& x, const Vector3d& centre, double tolerance) {
  constexpr std::size_t most = 32;
  const Eigen::RowVectorXd distance = (x.colwise() - centre).colwise().norm();
  const double largest = distance.maxCoeff() - 4 * tolerance;
  std::vector<Eigen::Index> farthest;
  for (Eigen::Index v = 0; v < x.cols() && farthest.size() < most; ++v)
    if (distance[v] >= largest) farthest.push_back(v);
  return farthest;
}

// The normals of planes through the centre that are worth a try: axes, diagonals between them, principal axes, and what
// exchanges two of the farthest vertices.
std::vector<Vector3d> candidates(const Points& x, const Vector3d& centre, double tolerance) {
  std::vector<Vector3d> normals;
  normals.reserve(12);  // and the pairs
  for (int i = 0; i < 3; ++i) normals.emplace_back(Vector3d::Unit(i));
  const Eigen::Matrix<double, 3, Eigen::Dynamic> arms = x.colwise() - centre;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(arms * arms.transpose());
  for (int i = 0; i < 3; ++i) normals.emplace_back(principal.eigenvectors().col(i));
  for (int i = 0; i < 3; ++i)
    for (int j = i + 1; j < 3; ++j)
      for (const double sign : {-1.0, 1.0})
        normals.emplace_back((Vector3d::Unit(i) + sign * Vector3d::Unit(j)).normalized());
  const std::vector<Eigen::Index> farthest = farthest_points(x, centre, tolerance);
  for (std::size_t i = 0; i < farthest.size(); ++i)
    for (std::size_t j = i + 1; j < farthest.size(); ++j) {
      const Vector3d apart = x.col(farthest[j]) - x.col(farthest[i]);
      if (apart.norm() > 1e3 * tolerance) normals.emplace_back(apart.normalized());
    }
  return normals;
}

// Odd moments of the distances from the plane vanish for mirrored points: a quick no for nearly all candidates.
bool may_mirror(const Points& x, const Vector3d& centre, const Vector3d& normal, double size, double tolerance) {
  Eigen::Array3d moments = Eigen::Array3d::Zero();
  for (Eigen::Index v = 0; v < x.cols(); ++v) {
    const Vector3d arm = (x.col(v) - centre) / size;
    const double height = normal.dot(arm);
    moments += Eigen::Array3d(height, height * height * height, height * arm.squaredNorm());
  }
  return (moments.abs() <= 4 * static_cast<double>(x.cols()) * tolerance / size).all();
}

// The vertex at each vertex's mirror image; nothing unless there is exactly one.
std::optional<std::vector<std::int32_t>> images(const Points& x, const Vector3d& centre, const Vector3d& normal,
                                                double tolerance) {
  const auto n = static_cast<std::size_t>(x.cols());
  std::vector<double> both(6 * n);
  for (std::size_t v = 0; v < n; ++v) {
    const Vector3d at = x.col(static_cast<Eigen::Index>(v));
    Eigen::Map<Vector3d>(both.data() + 3 * v) = at;
    Eigen::Map<Vector3d>(both.data() + 3 * (n + v)) = at - 2 * normal.dot(at - centre) * normal;
  }
  const std::vector<std::int32_t> founder = place_founders(both, tolerance);
  std::vector<std::int32_t> image(n, -1);
  const auto pair = [&](std::size_t vertex, std::size_t mirrored) {
    if (vertex >= n || mirrored < n || image[mirrored - n] >= 0) return false;
    image[mirrored - n] = static_cast<std::int32_t>(vertex);
    return true;
  };
  for (std::size_t i = 0; i < 2 * n; ++i) {
    const auto place = static_cast<std::size_t>(founder[i]);
    if (place != i && !(i < n ? pair(i, place) : pair(place, i))) return std::nullopt;
  }
  if (std::ranges::count(image, -1) > 0) return std::nullopt;
  return image;
}

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 31)) * 0x9e3779b97f4a7c15U;
  return value ^ (value >> 29);
}

std::uint64_t material_mark(const Material& material) {
  std::uint64_t mark = mixed(static_cast<std::uint64_t>(material.law) + 1);
  const double share = material.law == MaterialLaw::mooney_rivlin ? material.mooney_share : 0;
  for (const double constant : {material.youngs_modulus, material.poissons_ratio, material.density, share})
    mark = mixed(mark + std::bit_cast<std::uint64_t>(constant));
  return mark;
}

// A number for each element's kind and set of vertices, in ascending order: the order of vertices makes no difference.
std::vector<std::uint64_t> element_marks(const VolumeMesh& mesh, std::span<const std::int32_t> image) {
  std::vector<std::uint64_t> marks;
  marks.reserve(static_cast<std::size_t>(mesh.element_count()));
  for (const ElementBlock& block : mesh.blocks)
    for (std::int64_t e = 0; e < block.count(); ++e) {
      std::uint64_t mark = mixed(static_cast<std::uint64_t>(block.type) + 1);
      if (block.type == ElementType::hex8) mark ^= mixed(64 + static_cast<std::uint64_t>(block.hexahedron_rule));
      const std::int32_t region = mesh.element_region[marks.size()];
      if (region >= 0)
        if (const auto& material = mesh.regions[static_cast<std::size_t>(region)].material)
          mark = mixed(mark + material_mark(*material));
      std::uint64_t vertices = 0;
      for (const std::int32_t v : block.element(e))
        vertices +=
            mixed(0x100000000U + static_cast<std::uint64_t>(image.empty() ? v : image[static_cast<std::size_t>(v)]));
      marks.push_back(mixed(mark + vertices));
    }
  std::ranges::sort(marks);
  return marks;
}

bool maps_onto_itself(std::span<const std::int32_t> vertices, std::span<const std::int32_t> image) {
  std::vector<std::int32_t> before(vertices.begin(), vertices.end()), after;
  for (const std::int32_t v : vertices) after.push_back(image[static_cast<std::size_t>(v)]);
  std::ranges::sort(before);
  std::ranges::sort(after);
  return before == after;
}

bool is_orthogonal(const Vector3d& normal, std::span<const Mirror> mirrors) {
  return std::ranges::all_of(
      mirrors, [&](const Mirror& mirror) { return std::abs(normal.dot(Vector3d(mirror.plane.normal.data()))) < 1e-8; });
}

}  // namespace

std::vector<Mirror> find_mirrors(const VolumeMesh& mesh, const Supports& supports) {
  std::vector<Mirror> mirrors;
  if (mesh.vertex_count() == 0 || !supports.constraints.empty() || !mesh.joints.empty() || !mesh.masses.empty() ||
      !mesh.springs.empty())
    return mirrors;
  const Points x = points_of(mesh);
  const double tolerance = weld_tolerance(mesh);
  const Vector3d centre = x.rowwise().mean();
  const double size = (x.colwise() - centre).colwise().norm().maxCoeff();
  if (!(size > 1e3 * tolerance)) return mirrors;
  const std::vector<std::uint64_t> marks = element_marks(mesh, {});
  for (const Vector3d& normal : candidates(x, centre, tolerance)) {
    if (std::ssize(mirrors) == 3) break;
    if (!is_orthogonal(normal, mirrors) || !may_mirror(x, centre, normal, size, tolerance)) continue;
    const auto image = images(x, centre, normal, tolerance);
    if (!image || !maps_onto_itself(supports.fixed_vertices, *image) || element_marks(mesh, *image) != marks) continue;
    mirrors.push_back({{{normal[0], normal[1], normal[2]}, normal.dot(centre)}, *image});
  }
  return mirrors;
}

Matrix mirrored(const Mirror& mirror, MatrixRef fields) {
  const Eigen::Map<const Vector3d> normal(mirror.plane.normal.data());
  const Eigen::Matrix3d reflection = Eigen::Matrix3d::Identity() - 2 * normal * normal.transpose();
  Matrix result(fields.rows(), fields.cols());
  for (std::size_t v = 0; v < mirror.image.size(); ++v)
    result.map().middleRows(3 * Eigen::Index{mirror.image[v]}, 3).noalias() =
        reflection * fields.middleRows(3 * static_cast<Eigen::Index>(v), 3);
  return result;
}

std::vector<MirrorPlane> mirror_planes(const VolumeMesh& mesh, const Supports& supports) {
  require_indices(mesh);
  if (std::ssize(mesh.element_region) != mesh.element_count())
    throw InputError("the mesh has " + std::to_string(mesh.element_count()) + " elements, but regions of " +
                     std::to_string(mesh.element_region.size()));
  for (const std::int32_t region : mesh.element_region)
    if (region >= std::ssize(mesh.regions))
      throw InputError("an element is in region " + std::to_string(region) + ", but the mesh has " +
                       std::to_string(mesh.regions.size()));
  for (const std::int32_t v : supports.fixed_vertices)
    if (v < 0 || v >= mesh.vertex_count())
      throw InputError("fixed vertex " + std::to_string(v) + " is outside 0 .. " +
                       std::to_string(mesh.vertex_count() - 1));
  std::vector<MirrorPlane> planes;
  for (const Mirror& mirror : find_mirrors(mesh, supports)) planes.push_back(mirror.plane);
  return planes;
}

}  // namespace quartic
