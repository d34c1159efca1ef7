#include "core/locking/thickness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "core/elements/vectors.hpp"
#include "core/mesh/boundary.hpp"

namespace quartic {
namespace {

using Vector = std::array<double, 3>;

constexpr int longest_way = 64;  // elements
constexpr double parallel_cosine = 0.8;

Vector unit(const Vector& a) {
  const double size = length(a);
  return {a[0] / size, a[1] / size, a[2] / size};
}

// A face taken for flat.
struct Plane {
  Vector middle{}, area{};  // the area vector, half the cross product of the diagonals, points outwards
};

Plane plane_of(const VolumeMesh& mesh, std::span<const std::int32_t> corners, const Vector& inside) {
  Plane plane;
  for (const std::int32_t v : corners)
    for (std::size_t c = 0; c < 3; ++c) plane.middle[c] += position(mesh, v)[c] / static_cast<double>(corners.size());
  const Vector first = difference(position(mesh, corners[2]), position(mesh, corners[0]));
  const Vector second = difference(position(mesh, corners.back()), position(mesh, corners[1]));
  plane.area = corners.size() == 3 ? cross(difference(position(mesh, corners[1]), position(mesh, corners[0])), first)
                                   : cross(first, second);
  const double outwards = dot(plane.area, difference(plane.middle, inside)) < 0 ? -0.5 : 0.5;
  for (double& component : plane.area) component *= outwards;
  return plane;
}

// The face by which a line from `origin` leaves an element, and how far along the line.
struct Exit {
  std::size_t face = 0;
  double distance = std::numeric_limits<double>::infinity();
  Vector area{};
};

class Walk {
 public:
  Walk(const ElementNeighbours& neighbours, const Vector& origin, const Vector& direction)
      : neighbours_(neighbours), origin_(origin), direction_(direction) {}

  // Fills thickness, elements_across and parallel; false if the way is too long.
  bool run(Crossing& crossing) {
    std::int64_t element = crossing.element;
    std::int64_t from = -1;
    double at = 0;
    for (int step = 0; step < longest_way; ++step) {
      const Exit exit = leave(element, from);
      if (!std::isfinite(exit.distance)) return false;
      const double next = std::max(at, exit.distance);
      if (const double whole = extent(element); whole > 0) crossing.elements_across += (next - at) / whole;
      at = next;
      const std::int64_t behind = neighbours_.sharing(neighbours_.element(element).face_corners(exit.face), element);
      if (behind < 0) {
        crossing.thickness = at;
        crossing.parallel = dot(exit.area, direction_) > parallel_cosine * length(exit.area);
        return at > 0;
      }
      from = element;
      element = behind;
    }
    return false;
  }

 private:
  [[nodiscard]] Exit leave(std::int64_t number, std::int64_t from) const {
    const ElementView element = neighbours_.element(number);
    const Vector inside = neighbours_.centre(number);
    Exit exit;
    for (std::size_t f = 0; f < element.face_count(); ++f) {
      const auto corners = element.face_corners(f);
      const Plane plane = plane_of(neighbours_.mesh(), corners, inside);
      const double speed = dot(plane.area, direction_);
      if (!(speed > 0)) continue;
      const double distance = dot(plane.area, difference(plane.middle, origin_)) / speed;
      if (!(distance < exit.distance)) continue;
      if (from >= 0 && neighbours_.sharing(corners, number) == from) continue;
      exit = {f, distance, plane.area};
    }
    return exit;
  }

  // Of an element along the line.
  [[nodiscard]] double extent(std::int64_t number) const {
    return extent_along(neighbours_.mesh(), neighbours_.element(number).vertices, direction_);
  }

  const ElementNeighbours& neighbours_;
  Vector origin_, direction_;
};

std::optional<Crossing> cross_from(const ElementNeighbours& neighbours, const BoundaryFace& face) {
  const VolumeMesh& mesh = neighbours.mesh();
  const std::size_t count = face.corners[3] < 0 ? 3 : 4;
  const std::span<const std::int32_t> corners(face.corners.data(), count);
  Crossing crossing;
  crossing.element = neighbours.sharing(corners, -1);
  if (crossing.element < 0) return std::nullopt;
  const Plane plane = plane_of(mesh, corners, neighbours.centre(crossing.element));
  crossing.area = length(plane.area);
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    const Vector edge = difference(position(mesh, corners[(i + 1) % count]), position(mesh, corners[i]));
    crossing.width = std::max(crossing.width, length(edge) * (count == 3 ? std::sqrt(0.5) : 1));
    if (!(length(edge) < shortest)) continue;
    shortest = length(edge);
    crossing.edge = unit(edge);
  }
  if (!(crossing.area > 0) || !(shortest > 0)) return std::nullopt;
  crossing.inwards = unit(plane.area);
  for (double& component : crossing.inwards) component = -component;
  if (!Walk(neighbours, plane.middle, crossing.inwards).run(crossing)) return std::nullopt;
  return crossing;
}

}  // namespace

std::vector<Crossing> crossings(const ElementNeighbours& neighbours, std::int64_t count) {
  const std::vector<BoundaryFace> faces = boundary_faces(neighbours.mesh());
  const std::int64_t total = std::ssize(faces), lines = std::min(count, total);
  std::vector<Crossing> found;
  for (std::int64_t i = 0; i < lines; ++i)
    if (auto crossing = cross_from(neighbours, faces[static_cast<std::size_t>(i * total / lines)]))
      found.push_back(*crossing);
  return found;
}

}  // namespace quartic
