// A face is the bottom of a tetrahedron or a hexahedron: its shape functions are that element's, whose others vanish
// there. A pressure's integrand phi (x_1 x x_2) is of degree 4 on curved triangles and of degree 5 in each coordinate
// on curved quadrilaterals, for which the rules are exact.
#include "core/loads/face_loads.hpp"

#include <Eigen/Geometry>
#include <array>

#include "core/elements/element_rules.hpp"
#include "core/elements/elements.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;

constexpr std::size_t most_vertices = 8;  // of a face
using Positions = std::array<Vector3d, most_vertices>;

/// Shape functions and their derivatives along the face, at the points of a rule.
struct FaceRule {
  struct Point {
    double weight = 0;
    std::array<double, most_vertices> value{};
    std::array<std::array<double, 2>, most_vertices> slope{};
  };
  std::vector<Point> points;
};

/// @param bottom the element's vertices that are the face's
FaceRule tabulate(ElementType type, std::span<const std::size_t> bottom, const QuadratureRule& rule) {
  const ElementTable& table = element_table(type);
  std::array<double, 20> values{};
  double slopes[20][3];
  FaceRule result;
  for (std::size_t p = 0; p < rule.points.size(); ++p) {
    table.shape(rule.points[p], values.data());
    table.shape_gradient(rule.points[p], slopes);
    FaceRule::Point& point = result.points.emplace_back();
    point.weight = rule.weights[p];
    for (std::size_t a = 0; a < bottom.size(); ++a) {
      point.value[a] = values[bottom[a]];
      point.slope[a] = {slopes[bottom[a]][0], slopes[bottom[a]][1]};
    }
  }
  return result;
}

const FaceRule& rule_of(bool is_triangle, bool is_quadratic) {
  static constexpr std::array<std::size_t, 6> triangle = {0, 1, 2, 4, 5, 6};
  static constexpr std::array<std::size_t, 8> quadrilateral = {0, 1, 2, 3, 8, 9, 10, 11};
  const auto of_triangle = [](ElementType type, std::size_t count) {
    return tabulate(type, std::span(triangle).first(count), triangle_degree_4());
  };
  const auto of_quadrilateral = [](ElementType type, std::size_t count) {
    return tabulate(type, std::span(quadrilateral).first(count), square_gauss_9());
  };
  static const std::array<FaceRule, 4> rules = {of_quadrilateral(ElementType::hex8, 4),
                                                of_quadrilateral(ElementType::hex20, 8),
                                                of_triangle(ElementType::tet4, 3), of_triangle(ElementType::tet10, 6)};
  return rules[2 * static_cast<std::size_t>(is_triangle) + static_cast<std::size_t>(is_quadratic)];
}

class Face {
 public:
  Face(const VolumeMesh& mesh, const BoundaryFace& face)
      : corners_(face.corners[3] < 0 ? 3 : 4), rule_(rule_of(corners_ == 3, face.middles[0] >= 0)) {
    for (std::size_t i = 0; i < corners_; ++i) add(mesh, face.corners[i]);
    for (std::size_t i = 0; i < corners_ && face.middles[0] >= 0; ++i) add(mesh, face.middles[i]);
  }

  /// Calls `body(point, x_1 x x_2 times the weight)`: the area with its normal.
  template <class Body>
  void for_each_point(const Body& body) const {
    for (const FaceRule::Point& point : rule_.points) {
      Vector3d first = Vector3d::Zero(), second = Vector3d::Zero();
      for (std::size_t a = 0; a < count_; ++a) {
        first += point.slope[a][0] * x_[a];
        second += point.slope[a][1] * x_[a];
      }
      body(point, Vector3d(point.weight * first.cross(second)));
    }
  }

  /// Adds the integrals of phi times `density(area with its normal)`.
  template <class Density>
  void integrate(const Density& density, std::vector<PointForce>& list) const {
    Positions forces;
    forces.fill(Vector3d::Zero());
    for_each_point([&](const FaceRule::Point& point, const Vector3d& area) {
      const Vector3d force = density(area);
      for (std::size_t a = 0; a < count_; ++a) forces[a] += point.value[a] * force;
    });
    for (std::size_t a = 0; a < count_; ++a) list.push_back({vertices_[a], {forces[a][0], forces[a][1], forces[a][2]}});
  }

 private:
  void add(const VolumeMesh& mesh, std::int32_t v) {
    vertices_[count_] = v;
    x_[count_++] = Vector3d::Map(mesh.vertices.data() + 3 * std::ptrdiff_t{v});
  }

  std::size_t corners_, count_ = 0;
  std::array<std::int32_t, most_vertices> vertices_{};
  Positions x_;
  const FaceRule& rule_;
};

}  // namespace

void add_traction(const VolumeMesh& mesh, const BoundaryFace& face, const Vector3d& traction,
                  std::vector<PointForce>& list) {
  Face(mesh, face).integrate([&](const Vector3d& area) { return Vector3d(area.norm() * traction); }, list);
}

void add_pressure(const VolumeMesh& mesh, const BoundaryFace& face, double pressure, std::vector<PointForce>& list) {
  Face(mesh, face).integrate([&](const Vector3d& area) { return Vector3d(-pressure * area); }, list);
}

double area_of(const VolumeMesh& mesh, const BoundaryFace& face) {
  double sum = 0;
  Face(mesh, face).for_each_point([&](const FaceRule::Point&, const Vector3d& area) { sum += area.norm(); });
  return sum;
}

}  // namespace quartic
