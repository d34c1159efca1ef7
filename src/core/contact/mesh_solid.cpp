// Signed distances of a closed triangle mesh: the nearest point of its triangles, with the sign of the pseudo-normal
// there. That is the triangle's normal, on an edge the sum of both triangles' normals, in a vertex that of all its
// triangles' by their angles (Baerentzen & Aanaes, Signed Distance Computation Using the Angle Weighted Pseudonormal,
// 2005).
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/contact/solids.hpp"
#include "core/surface/box_tree.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;
using Point = Shape::Solid::Point;
using Nearest = Shape::Solid::Nearest;
using Edge = std::pair<std::int32_t, std::int32_t>;

Edge edge_of(std::int32_t a, std::int32_t b) {
  return {std::min(a, b), std::max(a, b)};
}

void check(const MeshShape& mesh) {
  if (mesh.triangles.empty() || mesh.triangles.size() % 3 != 0 || mesh.vertices.size() % 3 != 0)
    throw InputError("a mesh shape needs triangles, and three numbers for each vertex and triangle");
  if (!std::all_of(mesh.vertices.begin(), mesh.vertices.end(), [](double x) { return std::isfinite(x); }))
    throw InputError("a vertex of a mesh shape isn't at a finite place");
  for (const std::int32_t v : mesh.triangles)
    if (v < 0 || v >= std::ssize(mesh.vertices) / 3)
      throw InputError("a mesh shape has a triangle with vertex " + std::to_string(v) + ", which it doesn't have");
}

// Each edge once in either direction.
void require_closed(const MeshShape& mesh) {
  std::map<Edge, std::array<int, 2>> seen;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int32_t a = mesh.triangles[t + c], b = mesh.triangles[t + (c + 1) % 3];
      ++seen[edge_of(a, b)][a < b ? 0 : 1];
    }
  for (const auto& [edge, directions] : seen)
    if (directions[0] != 1 || directions[1] != 1)
      throw InputError("a mesh shape must be closed, but the edge of its vertices " + std::to_string(edge.first) +
                       " and " + std::to_string(edge.second) + " has " + std::to_string(directions[0] + directions[1]) +
                       (directions[0] + directions[1] == 2 ? " triangles wound against each other" : " triangles") +
                       ", where two side by side belong; weld vertices that lie at one place and close holes, or take "
                       "a distance grid");
}

// Triangles that hang together by edges.
class Parts {
 public:
  explicit Parts(const MeshShape& mesh) : mesh_(mesh), next_(mesh.triangles.size() / 3) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
    std::map<Edge, std::size_t> first;
    for (std::size_t t = 0; t < next_.size(); ++t)
      for (std::size_t c = 0; c < 3; ++c) {
        const Edge edge = edge_of(mesh.triangles[3 * t + c], mesh.triangles[3 * t + (c + 1) % 3]);
        next_[root(t)] = root(first.try_emplace(edge, t).first->second);
      }
    std::map<std::size_t, std::size_t> numbers;
    for (std::size_t t = 0; t < next_.size(); ++t) {
      const std::size_t part = numbers.try_emplace(root(t), parts_.size()).first->second;
      if (part == parts_.size()) parts_.emplace_back();
      add(parts_[part], t);
    }
  }

  // One wound inwards is a cavity, and lies in one wound outwards; one wound outwards lies in none, or in a cavity.
  // Where parts touch, numbers between 0 and 1 are in doubt and let through.
  void require_outwards() const {
    for (const Part& part : parts_) {
      const double around = winding_around(part);
      const std::string which =
          parts_.size() == 1 ? "a mesh shape" : "the part of a mesh shape with vertex " + std::to_string(part.vertex);
      if (!(part.volume > 0 || (part.volume < 0 && around > 0.1)))
        throw InputError(which + " encloses a volume of " + std::to_string(part.volume) +
                         " m^3: its triangles are wound inwards; turn them round");
      if (part.volume > 0 && around > 0.9)
        throw InputError(which +
                         " lies within another part that is wound the same way; leave it out, or turn its "
                         "triangles round if it is a cavity");
    }
  }

 private:
  struct Part {
    std::vector<std::size_t> triangles = {};
    double volume = 0;
    std::int32_t vertex = -1;  // the farthest along x
    Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity());
    Vector3d high = -low;
  };

  std::size_t root(std::size_t t) {
    while (next_[t] != t) t = next_[t] = next_[next_[t]];
    return t;
  }
  [[nodiscard]] Vector3d place(std::int32_t vertex) const {
    return Vector3d(mesh_.vertices.data() + 3 * static_cast<std::size_t>(vertex));
  }
  [[nodiscard]] Vector3d corner(std::size_t t, std::size_t c) const { return place(mesh_.triangles[3 * t + c]); }

  void add(Part& part, std::size_t t) const {
    part.triangles.push_back(t);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int32_t v = mesh_.triangles[3 * t + c];
      if (part.vertex < 0 || place(v)[0] > place(part.vertex)[0]) part.vertex = v;
      part.low = part.low.cwiseMin(place(v));
      part.high = part.high.cwiseMax(place(v));
    }
    const Vector3d origin = corner(part.triangles[0], 0);
    part.volume += (corner(t, 0) - origin).dot((corner(t, 1) - origin).cross(corner(t, 2) - origin)) / 6;
  }

  // How often all other parts go round one: their solid angle from a vertex of it over 4 pi (Van Oosterom & Strackee
  // 1983). Parts whose box doesn't hold the vertex go round it not at all.
  [[nodiscard]] double winding_around(const Part& part) const {
    const Vector3d x = place(part.vertex);
    double angle = 0;
    for (const Part& other : parts_) {
      if (&other == &part || (x.array() < other.low.array()).any() || (x.array() > other.high.array()).any()) continue;
      for (const std::size_t t : other.triangles) {
        const Vector3d a = corner(t, 0) - x, b = corner(t, 1) - x, c = corner(t, 2) - x;
        angle += 2 * std::atan2(a.dot(b.cross(c)), a.norm() * b.norm() * c.norm() + a.dot(b) * c.norm() +
                                                       b.dot(c) * a.norm() + c.dot(a) * b.norm());
      }
    }
    return angle / (4 * std::numbers::pi);
  }

  const MeshShape& mesh_;
  std::vector<std::size_t> next_;  // towards the triangle that stands for a part
  std::vector<Part> parts_;
};

class MeshSolid final : public Shape::Solid {
 public:
  explicit MeshSolid(const MeshShape& mesh) : mesh_(mesh) {
    const BoxTree tree(boxes_of(mesh));
    require_closed(mesh);
    Parts(mesh).require_outwards();
    make_normals();
    find_depth();
    take(tree);
    view_.vertices = mesh.vertices.data(), view_.triangles = mesh.triangles.data();
    for (const double x : mesh.vertices) view_.reach = std::max(view_.reach, std::abs(x));
  }

  [[nodiscard]] Nearest at(const Point& x) const override { return nearest_on_mesh(view_, x); }
  [[nodiscard]] double reach() const override { return view_.reach; }
  [[nodiscard]] double depth() const override { return depth_; }
  [[nodiscard]] SolidView view() const override {
    return {.kind = SolidKind::mesh, .reach = view_.reach, .depth = depth_, .mesh = view_};
  }

 private:
  static std::vector<Box3> boxes_of(const MeshShape& mesh) {
    check(mesh);
    std::vector<Box3> boxes;
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
      boxes.push_back(Box3::of_vertices(mesh.vertices, {mesh.triangles.data() + t, 3}));
    return boxes;
  }
  [[nodiscard]] std::int32_t vertex(std::size_t triangle, std::size_t c) const {
    return mesh_.triangles[3 * triangle + c];
  }
  [[nodiscard]] Vector3d corner(std::size_t triangle, std::size_t c) const {
    return Vector3d(mesh_.vertices.data() + 3 * static_cast<std::size_t>(vertex(triangle, c)));
  }

  // Of triangles, and their sums: over the two triangles of an edge, and by angles over those of a vertex.
  void make_normals() {
    const std::size_t count = mesh_.triangles.size() / 3;
    std::vector<Vector3d> of_vertices(mesh_.vertices.size() / 3, Vector3d::Zero());
    std::map<Edge, Vector3d> of_edges;
    for (std::size_t t = 0; t < count; ++t) {
      const Vector3d normal = (corner(t, 1) - corner(t, 0)).cross(corner(t, 2) - corner(t, 0)).stableNormalized();
      append(normals_, normal);
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t next = (c + 1) % 3, last = (c + 2) % 3;
        const Vector3d a = corner(t, next) - corner(t, c), b = corner(t, last) - corner(t, c);
        const double angle = std::atan2(a.cross(b).norm(), a.dot(b));
        of_vertices[static_cast<std::size_t>(vertex(t, c))] += angle * normal;
        of_edges.try_emplace(edge_of(vertex(t, c), vertex(t, next)), Vector3d::Zero()).first->second += normal;
      }
    }
    for (const Vector3d& sum : of_vertices) append(vertex_normals_, sum.stableNormalized());
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t c = 0; c < 3; ++c)
        append(edge_normals_, of_edges.at(edge_of(vertex(t, c), vertex(t, (c + 1) % 3))).stableNormalized());
    view_.normals = normals_.data(), view_.vertex_normals = vertex_normals_.data();
    view_.edge_normals = edge_normals_.data();
  }
  // Half the thickness of a plate, a third of a ball's radius.
  void find_depth() {
    double volume = 0, area = 0;
    for (std::size_t t = 0; t < mesh_.triangles.size() / 3; ++t) {
      const Vector3d normal = (corner(t, 1) - corner(t, 0)).cross(corner(t, 2) - corner(t, 0)) / 2;
      volume += (corner(t, 0) - corner(0, 0)).dot(normal) / 3;
      area += normal.norm();
    }
    depth_ = volume / area;
  }
  static void append(std::vector<double>& rows, const Vector3d& row) {
    rows.insert(rows.end(), row.begin(), row.end());
  }

  void take(const BoxTree& tree) {
    for (const std::vector<Box3>& level : tree.levels()) {
      for (const Box3& box : level) {
        boxes_.insert(boxes_.end(), box.low.begin(), box.low.end());
        boxes_.insert(boxes_.end(), box.high.begin(), box.high.end());
      }
      view_.starts[++view_.levels] = static_cast<std::int32_t>(boxes_.size() / 6);
    }
    for (const std::size_t number : tree.numbers()) numbers_.push_back(static_cast<std::int32_t>(number));
    view_.boxes = boxes_.data(), view_.numbers = numbers_.data();
  }

  const MeshShape& mesh_;
  std::vector<double> normals_, edge_normals_, vertex_normals_, boxes_;
  std::vector<std::int32_t> numbers_;
  double depth_ = 0;
  MeshView view_;
};

}  // namespace

std::unique_ptr<Shape::Solid> make_mesh(const MeshShape& mesh) {
  return std::make_unique<MeshSolid>(mesh);
}

}  // namespace quartic
