#include "core/supports/boundary_areas.hpp"

#include <Eigen/Geometry>

#include "core/mesh/boundary.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;

// A face with its positions: corners, then the middles behind each.
class Face {
 public:
  Face(const VolumeMesh& mesh, const BoundaryFace& face) : count_(face.corners[3] < 0 ? 3 : 4), element_(face.element) {
    quadratic_ = face.middles[0] >= 0;
    for (std::size_t i = 0; i < count_; ++i) add(mesh, face.corners[i]);
    for (std::size_t i = 0; quadratic_ && i < count_; ++i) add(mesh, face.middles[i]);
  }

  void append_corners(std::vector<FaceCorner>& list) const {
    const std::vector<double> areas = shares();
    double area = 0;
    for (const double share : areas) area += share;
    for (std::size_t i = 0; i < vertices_.size(); ++i)
      list.push_back({vertices_[i], normal(i).stableNormalized(), areas[i], area, element_});
  }

 private:
  void add(const VolumeMesh& mesh, std::int32_t v) {
    vertices_.push_back(v);
    x_.emplace_back(Vector3d::Map(mesh.vertices.data() + 3 * std::ptrdiff_t{v}));
  }
  [[nodiscard]] std::size_t next(std::size_t corner) const { return (corner + 1) % count_; }
  [[nodiscard]] std::size_t last(std::size_t corner) const { return (corner + count_ - 1) % count_; }

  // How the edge from corner `a` to the next one leaves a, or arrives.
  [[nodiscard]] Vector3d leaving(std::size_t a) const {
    return quadratic_ ? Vector3d(4 * x_[count_ + a] - 3 * x_[a] - x_[next(a)]) : Vector3d(x_[next(a)] - x_[a]);
  }
  [[nodiscard]] Vector3d arriving(std::size_t a) const {
    return quadratic_ ? Vector3d(3 * x_[next(a)] - 4 * x_[count_ + a] + x_[a]) : Vector3d(x_[next(a)] - x_[a]);
  }
  // The derivative of the shape functions across the edge, at its middle, inwards.
  [[nodiscard]] Vector3d inwards(std::size_t a) const {
    const auto middle = [&](std::size_t edge) { return x_[count_ + edge % count_]; };
    if (count_ == 3) return 2 * (middle(a + 1) + middle(a + 2) - middle(a)) - x_[a] - x_[(a + 2) % 3];
    return middle(a + 1) + middle(a + 3) + 0.5 * (middle(a + 2) - middle(a)) - 0.5 * (x_[0] + x_[1] + x_[2] + x_[3]);
  }
  [[nodiscard]] Vector3d normal(std::size_t i) const {
    if (i < count_) return leaving(i).cross(-arriving(last(i)));
    const std::size_t edge = i - count_;
    return (x_[next(edge)] - x_[edge]).cross(inwards(edge));
  }

  // Thirds of flat triangles; those of a quadrilateral are cut along both diagonals, half each.
  [[nodiscard]] std::vector<double> shares() const {
    std::vector<double> areas(x_.size());
    const auto add_triangle = [&](std::size_t a, std::size_t b, std::size_t c, double part) {
      const double third = part * (x_[b] - x_[a]).cross(x_[c] - x_[a]).norm() / 6;
      for (const std::size_t i : {a, b, c}) areas[i] += third;
    };
    for (std::size_t i = 0; quadratic_ && i < count_; ++i) add_triangle(i, count_ + i, count_ + last(i), 1);
    const std::size_t first = quadratic_ ? count_ : 0;  // of the polygon inside
    if (count_ == 3) add_triangle(first, first + 1, first + 2, 1);
    for (std::size_t i = 0; count_ == 4 && i < 4; ++i)
      add_triangle(first + i, first + next(i), first + (i + 2) % 4, 0.5);
    return areas;
  }

  std::size_t count_;
  std::int64_t element_;
  bool quadratic_ = false;
  std::vector<std::int32_t> vertices_;
  std::vector<Vector3d> x_;
};

}  // namespace

std::vector<FaceCorner> boundary_corners(const VolumeMesh& mesh, std::span<const std::int32_t> vertices) {
  std::vector<FaceCorner> corners;
  for (const BoundaryFace& face : boundary_faces_of(mesh, vertices)) Face(mesh, face).append_corners(corners);
  return corners;
}

}  // namespace quartic
