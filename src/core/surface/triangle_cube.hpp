// Which cubes a triangle meets.
#pragma once

#include <array>

namespace quartic {

/// A triangle, prepared for many cubes of one size. By the separating axis theorem a triangle and a cube don't
/// meet exactly if their projections onto one of 13 axes don't: the cube's normals, the triangle's, and the products of
/// their edges (Akenine-Moeller, Fast 3D triangle-box overlap testing, 2001). The cube's normals are left to the
/// caller, who asks for cubes within the triangle's bounding box only. Of a triangle without area, whose axes are
/// zero, the bounding box and what its edges tell remain.
class TriangleCubeTest {
 public:
  using Vector = std::array<double, 3>;

  /// @param edge of the cubes
  TriangleCubeTest(const std::array<Vector, 3>& corners, double edge);

  /// Of a row of cubes along x, the x of the first and the last centre that the triangle meets a cube at, boundaries
  /// included; the last is below the first if there is none. Round-off counts as meeting. Cubes outside the triangle's
  /// bounding box don't count.
  /// @param y, z of the cubes' centres
  [[nodiscard]] std::array<double, 2> row(double y, double z) const;

 private:
  /// The triangle's projection onto an axis, made longer on both sides by the half of the cube's.
  struct Slab {
    Vector axis;
    double low, high;
    double inverse;  // of axis[0]; 0 if that is 0
  };
  void add(const Vector& axis, const std::array<Vector, 3>& corners, double edge);

  std::array<Slab, 10> slabs_;
  int count_ = 0;
};

}  // namespace quartic
