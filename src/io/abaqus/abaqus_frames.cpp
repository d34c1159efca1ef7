// Abaqus Keywords Reference Guide, *TRANSFORM; CalculiX CrunchiX User's Manual, the same.
#include "io/abaqus/abaqus_frames.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <string>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double least_sine = 1e-6;  // between directions that make a frame

Vector3d point(const AbaqusTransform& transform, std::size_t number) {
  return Vector3d::Map(transform.points.data() + 3 * number);
}

// Two directions, and what is perpendicular to both; nothing where they are parallel.
bool make_frame(const Vector3d& first, const Vector3d& in_plane, Matrix3d& frame) {
  const Vector3d normal = first.stableNormalized().cross(in_plane.stableNormalized());
  if (!(normal.norm() > least_sine)) return false;
  frame.col(0) = first.normalized();
  frame.col(2) = normal.normalized();
  frame.col(1) = frame.col(2).cross(frame.col(0));
  return true;
}

// Columns: the directions 1, 2, 3 at a place.
bool frame_at(const AbaqusTransform& transform, const Vector3d& x, Matrix3d& frame) {
  const Vector3d a = point(transform, 0), b = point(transform, 1);
  if (transform.kind == 'R') return make_frame(a, b, frame);
  if (transform.kind == 'C') {  // radial, tangential, along the axis
    const Vector3d axis = (b - a).stableNormalized(), away = x - a;
    const Vector3d radial = away - axis * axis.dot(away);
    if (!(radial.norm() > least_sine * (b - a).norm())) return false;
    frame.col(0) = radial.normalized();
    frame.col(2) = axis;
    frame.col(1) = axis.cross(frame.col(0));
    return true;
  }
  // Spherical about a, with the polar axis through b: radial, along the circle of latitude, along the meridian.
  const Vector3d radial = (x - a).stableNormalized(), axis = (b - a).stableNormalized();
  const Vector3d latitude = axis.cross(radial);
  if (!(latitude.norm() > least_sine)) return false;
  frame.col(0) = radial;
  frame.col(1) = latitude.normalized();
  frame.col(2) = frame.col(0).cross(frame.col(1));
  return true;
}

bool same_frame(const AbaqusTransform& a, const AbaqusTransform& b) {
  return a.kind == b.kind && a.points == b.points;
}

Vector3d position(const VolumeMesh& mesh, std::int64_t node) {
  return Vector3d::Map(mesh.vertices.data() + 3 * node);
}

}  // namespace

AbaqusFrames::AbaqusFrames(const Deck& deck, const std::vector<AbaqusTransform>& transforms, AbaqusSets& sets,
                           const VolumeMesh& mesh)
    : mesh_(mesh), transforms_(transforms), transform_of_(static_cast<std::size_t>(mesh.vertex_count()), -1) {
  for (std::size_t t = 0; t < transforms.size(); ++t)
    for (const auto node : sets.nodes(transforms[t].target, transforms[t].place, "*TRANSFORM")) {
      Matrix3d frame;
      if (!frame_at(transforms[t], position(mesh, node), frame))
        deck.fail(transforms[t].place, "*TRANSFORM of " + quote(transforms[t].target) +
                                           " has no directions at one of its nodes: its points are on one line, or the "
                                           "node is on the axis");
      std::int32_t& known = transform_of_[static_cast<std::size_t>(node)];
      if (known >= 0 && !same_frame(transforms[static_cast<std::size_t>(known)], transforms[t]))
        deck.fail(transforms[t].place, "*TRANSFORM of " + quote(transforms[t].target) +
                                           " turns nodes that another one, of " +
                                           quote(transforms[static_cast<std::size_t>(known)].target) +
                                           ", turns already; a node has one frame");
      known = static_cast<std::int32_t>(t);
    }
}

std::array<double, 3> AbaqusFrames::direction(std::int64_t node, std::size_t axis) const {
  Matrix3d frame = Matrix3d::Identity();
  if (const auto t = transform_of_[static_cast<std::size_t>(node)]; t >= 0)
    static_cast<void>(frame_at(transforms_[static_cast<std::size_t>(t)], position(mesh_, node), frame));
  const auto column = frame.col(static_cast<Eigen::Index>(axis));
  return {column[0], column[1], column[2]};
}

}  // namespace quartic::io
