#include "view/window/stage.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace quartic::view {
namespace {

std::span<const float> of_body(std::span<const float> q, std::int64_t body, int rank) {
  return q.subspan(static_cast<std::size_t>(body * rank), static_cast<std::size_t>(rank));
}

// As many points as keep the work small, spread over the surface, and the box's extreme ones.
class Outline {
 public:
  explicit Outline(const ViewSurface& surface) : stride_(std::max<std::int64_t>(1, surface.vertex_count() / 4000)) {}

  void add(std::span<const float> positions, const Eigen::Isometry3d& pose, const Eigen::Vector3d& up) {
    const Eigen::Matrix3Xd columns =
        pose * Eigen::Map<const Eigen::Matrix3Xf>(positions.data(), 3, std::ssize(positions) / 3).cast<double>();
    std::array<Eigen::Index, 6> extremes{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      columns.row(static_cast<Eigen::Index>(axis)).minCoeff(&extremes[2 * axis]);
      columns.row(static_cast<Eigen::Index>(axis)).maxCoeff(&extremes[2 * axis + 1]);
    }
    for (std::int64_t v = 0; v < columns.cols(); v += stride_) points.emplace_back(columns.col(v));
    for (const Eigen::Index v : extremes) points.emplace_back(columns.col(v));
    lowest = std::min(lowest, (up.transpose() * columns).minCoeff());
  }

  std::vector<Eigen::Vector3d> points;
  double lowest = std::numeric_limits<double>::infinity();

 private:
  std::int64_t stride_;
};

double triangle_strain(const ViewSurface& surface, std::span<const float> positions, std::int64_t triangle) {
  const auto edges = [&](std::span<const float> points) {
    const Eigen::Map<const Eigen::Matrix3Xf> columns(points.data(), 3, surface.vertex_count());
    const std::uint32_t* corner = surface.triangles.data() + 3 * triangle;
    Eigen::Matrix<double, 3, 2> result;
    result << (columns.col(corner[1]) - columns.col(corner[0])).cast<double>(),
        (columns.col(corner[2]) - columns.col(corner[0])).cast<double>();
    return result;
  };
  const Eigen::Matrix<double, 3, 2> rest = edges(surface.rest), moved = edges(positions);
  const Eigen::Matrix2d rest_gram = rest.transpose() * rest;
  if (!(rest_gram.determinant() > 0)) return 0;
  const Eigen::Matrix2d strain = rest_gram.inverse() * (moved.transpose() * moved - rest_gram) / 2;
  return std::sqrt(std::max((strain * strain).trace(), 0.0));
}

// What most of the surface stays below: single corners strain a lot more than all else.
double usual_strain(const ViewSurface& surface, std::span<const float> positions) {
  std::vector<double> strains;
  strains.reserve(surface.triangles.size() / 3);
  for (std::int64_t t = 0; t < surface.triangle_count(); ++t) strains.push_back(triangle_strain(surface, positions, t));
  const auto nearly_last =
      strains.begin() + static_cast<std::ptrdiff_t>(0.985 * static_cast<double>(strains.size() - 1));
  std::nth_element(strains.begin(), nearly_last, strains.end());
  return *nearly_last;
}

double largest_displacement(const ViewSurface& surface, std::span<const float> positions) {
  const Eigen::Map<const Eigen::Matrix3Xf> rest(surface.rest.data(), 3, surface.vertex_count());
  const Eigen::Map<const Eigen::Matrix3Xf> moved(positions.data(), 3, surface.vertex_count());
  return static_cast<double>((moved - rest).colwise().norm().maxCoeff());
}

// Holds the body however it is turned.
Box box_of_turned(const Box& box) {
  const Eigen::Vector3d half = Eigen::Vector3d::Constant(box.diagonal() / 2);
  return {box.centre() - half, box.centre() + half};
}

}  // namespace

std::vector<Eigen::Vector3d> body_places(std::int64_t bodies, const Box& box, UpAxis up) {
  const Eigen::Matrix3d axes = ground_axes(up);
  // Room to swing: half of the width, and a quarter of the largest side for slender bodies.
  const Eigen::Vector3d size = (axes.transpose() * box.size()).cwiseAbs();
  const Eigen::Vector2d spacing = 1.3 * size.head<2>() + Eigen::Vector2d::Constant(0.2 * box.size().maxCoeff());
  const auto count = static_cast<double>(bodies);
  const auto columns =
      static_cast<std::int64_t>(std::clamp(std::round(std::sqrt(count * spacing.y() / spacing.x())), 1.0, count));
  const std::int64_t rows = (bodies + columns - 1) / columns;
  std::vector<Eigen::Vector3d> places;
  places.reserve(static_cast<std::size_t>(bodies));
  for (std::int64_t body = 0; body < bodies; ++body) {
    const double column = static_cast<double>(body % columns) - static_cast<double>(columns - 1) / 2;
    const std::int64_t row_number = body / columns;
    const double row = static_cast<double>(row_number) - static_cast<double>(rows - 1) / 2;
    places.emplace_back(axes.leftCols<2>() * Eigen::Vector2d(column * spacing.x(), row * spacing.y()));
  }
  return places;
}

std::vector<Eigen::Vector3d> shown_places(const ViewSurface& surface, const ViewOptions& options) {
  const Box rest = box_of(surface.rest);
  if (options.motion == nullptr)
    return body_places(options.session.batch.bodies, options.session.flight ? box_of_turned(rest) : rest,
                       options.scene.up);
  if (!options.motion->flies()) return body_places(options.motion->bodies, rest, options.scene.up);
  return std::vector<Eigen::Vector3d>(static_cast<std::size_t>(options.motion->bodies), Eigen::Vector3d::Zero());
}

std::vector<Eigen::Isometry3d> standing(const Frame& frame, std::span<const Eigen::Vector3d> places) {
  std::vector<Eigen::Isometry3d> poses;
  poses.reserve(places.size());
  for (std::size_t body = 0; body < places.size(); ++body) {
    poses.push_back(frame.poses.empty() ? Eigen::Isometry3d::Identity() : frame.poses[body]);
    poses.back().pretranslate(places[body]);
  }
  return poses;
}

Scene make_scene(const ViewSurface& surface, std::span<const Eigen::Vector3d> places, std::span<const Frame> frames,
                 const SceneOptions& options, double aspect, double shift) {
  Scene scene;
  scene.camera.up = options.up;
  scene.camera.shift = shift;
  if (options.azimuth) scene.camera.azimuth = *options.azimuth;
  if (options.elevation) scene.camera.elevation = *options.elevation;
  scene.light_azimuth = scene.camera.azimuth - 48;

  const Eigen::Vector3d up = ground_axes(options.up).col(2);
  Outline outline(surface);
  // Of long motions or large crowds, some, and the last: neighbours in time and place look alike.
  const auto bodies = std::ssize(places);
  const auto frame_stride = std::max<std::int64_t>(1, std::ssize(frames) / 60);
  const std::int64_t body_stride = std::max<std::int64_t>(1, bodies / 64);
  const auto add = [&](const Frame& frame) {
    const std::vector<Eigen::Isometry3d> poses = standing(frame, places);
    for (std::int64_t body = 0; body < bodies; body += body_stride)
      outline.add(surface_positions(surface, of_body(frame.q, body, surface.rank())),
                  poses[static_cast<std::size_t>(body)], up);
  };
  for (std::int64_t s = 0; s < std::ssize(frames); s += frame_stride) add(frames[static_cast<std::size_t>(s)]);
  if ((std::ssize(frames) - 1) % frame_stride != 0) add(frames.back());
  const Box rest = box_of(surface.rest);
  const std::vector<Eigen::Isometry3d> first = standing(frames.front(), places);
  outline.add(surface.rest, first.front(), up);
  outline.add(surface.rest, first.back(), up);

  scene.camera = fit(scene.camera, outline.points, aspect, bodies > 1 ? 0.06 : 0.14);
  if (options.distance) scene.camera.distance = *options.distance;
  Eigen::Vector3d low = outline.points.front(), high = low;
  for (const Eigen::Vector3d& point : outline.points) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  scene.centre = (low + high) / 2;
  // Half as much again: bodies may swing further than they did so far.
  scene.radius = std::max(0.5 * (high - low).norm() + (bodies > 1 ? 0.1 : 0.25) * rest.diagonal(),
                          std::numeric_limits<float>::min() * 1e6);
  scene.ground_height = outline.lowest - 0.003 * rest.diagonal();
  scene.colour_by = options.colour_by;
  scene.colour_range = options.colour_range.value_or(0.1 * rest.diagonal());
  return scene;
}

void keep_in_scene(Scene& scene, const ViewSurface& surface, std::span<const Eigen::Isometry3d> poses, bool follow) {
  const Box rest = box_of(surface.rest);
  Eigen::Vector3d low = poses.front() * rest.centre(), high = low;
  for (const Eigen::Isometry3d& pose : poses) {
    const Eigen::Vector3d middle = pose * rest.centre();
    low = low.cwiseMin(middle);
    high = high.cwiseMax(middle);
  }
  const Eigen::Vector3d centre = (low + high) / 2;
  if (follow) scene.camera.target += centre - scene.centre;
  scene.centre = centre;
  scene.radius = 0.5 * (high - low).norm() + 0.75 * rest.diagonal();  // half of it, and room to deform
}

double largest_value(const ViewSurface& surface, std::span<const Frame> frames, ColourBy colour_by) {
  double largest = 1e-6 * (colour_by == ColourBy::strain ? 1 : box_of(surface.rest).diagonal());
  for (const Frame& frame : frames) {
    const std::int64_t bodies = std::ssize(frame.q) / surface.rank();
    for (std::int64_t body = 0; body < bodies; body += std::max<std::int64_t>(1, bodies / 16)) {
      const std::vector<float> positions = surface_positions(surface, of_body(frame.q, body, surface.rank()));
      largest = std::max(largest, colour_by == ColourBy::strain ? usual_strain(surface, positions)
                                                                : largest_displacement(surface, positions));
    }
  }
  return largest;
}

std::optional<BodyHit> pick_body(const ViewSurface& surface, std::span<const Eigen::Vector3d> places,
                                 const Frame& frame, const Ray& ray) {
  const Box box = box_of(surface.rest);
  const std::vector<Eigen::Isometry3d> poses = standing(frame, places);
  std::optional<BodyHit> first;
  for (std::int64_t body = 0; body < std::ssize(places); ++body) {
    const Eigen::Isometry3d to_body = poses[static_cast<std::size_t>(body)].inverse();
    const Ray own = {to_body * ray.origin, to_body.linear() * ray.direction};
    // A body that moves out of a box twice its size isn't found in a crowd; alone it always is.
    if (places.size() > 1 && !meets(box, own, 0.5 * box.diagonal())) continue;
    const auto hit = pick(surface, surface_positions(surface, of_body(frame.q, body, surface.rank())), own);
    if (hit && (!first || hit->distance < first->distance)) first = BodyHit{*hit, body};
  }
  return first;
}

}  // namespace quartic::view
