// The viewer's parts that neither draw nor move: camera, picking, shading corners, packing, names of frames.
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <set>

#include "io/text/half.hpp"
#include "quartic/quartic.hpp"
#include "view/session/camera.hpp"
#include "view/session/packed_basis.hpp"
#include "view/session/picking.hpp"
#include "view/session/shading_corners.hpp"
#include "view/view_models.hpp"
#include "view/window/frame_name.hpp"
#include "view/window/interaction.hpp"
#include "view/window/stage.hpp"

namespace quartic::view {
namespace {

using test::beam_model;
using test::beam_surface;
using test::random_numbers;

std::vector<Eigen::Vector3d> random_points(int count, unsigned seed) {
  const auto numbers = random_numbers(static_cast<std::size_t>(3 * count), seed);
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < count; ++i) points.emplace_back(Eigen::Vector3d::Map(&numbers[static_cast<std::size_t>(3 * i)]));
  return points;
}

// Single precision, which is drawn in, counts in half metres there.
TEST(ViewSurface, BodiesFarFromTheOriginKeepTheirShape) {
  ReducedModel far = beam_model();
  const std::array<double, 3> place = {500123.4375, 4649776.25, -12.5};
  for (std::size_t i = 0; i < far.mesh.vertices.size(); ++i) far.mesh.vertices[i] += place[i % 3];
  const ViewSurface surface = view_surface(far);
  const auto q = test::some_coordinates(far, 1);
  const auto expected = surface_positions(beam_surface(), q), found = surface_positions(surface, q);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i] + surface.origin[i % 3] - place[i % 3], expected[i], 1e-6) << i;
  EXPECT_EQ(beam_surface().origin, (std::array<double, 3>{}));
}

TEST(ViewCamera, LooksFromWhereItSays) {
  Camera camera{.azimuth = 0, .elevation = 0, .distance = 5, .target = {1, 2, 3}};
  EXPECT_LT((camera.eye() - Eigen::Vector3d(6, 2, 3)).norm(), 1e-14);
  camera.azimuth = 90;
  EXPECT_LT((camera.eye() - Eigen::Vector3d(1, 7, 3)).norm(), 1e-14);
  camera.elevation = 30;
  EXPECT_LT((camera.eye() - Eigen::Vector3d(1, 2 + 5 * std::sqrt(0.75), 5.5)).norm(), 1e-14);
  camera.up = UpAxis::y;  // the ground's axes are z and x then
  camera.azimuth = 0;
  EXPECT_LT((camera.eye() - Eigen::Vector3d(1, 4.5, 3 + 5 * std::sqrt(0.75))).norm(), 1e-14);
}

TEST(ViewCamera, AxesAreRightHandedForEveryUpAxis) {
  for (const UpAxis up : {UpAxis::x, UpAxis::y, UpAxis::z}) {
    EXPECT_NEAR(ground_axes(up).determinant(), 1, 1e-15);
    EXPECT_EQ(ground_axes(up)(static_cast<int>(up), 2), 1);
    const Camera camera{.azimuth = 33, .elevation = -20, .up = up};
    EXPECT_LT((camera.axes() * camera.axes().transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_NEAR(camera.axes().determinant(), 1, 1e-14);
    EXPECT_GT(camera.axes()(1, static_cast<int>(up)), 0) << "up is up in the picture";
  }
}

// The matrices, the projection by hand and rays are three ways to the same pixel.
TEST(ViewCamera, MatricesProjectionAndRaysAgree) {
  const Camera camera{
      .azimuth = 71, .elevation = 17, .distance = 6, .shift = 0.3, .up = UpAxis::x, .target = {0.2, -0.1, 0.3}};
  const double width = 640, height = 360, nearest = 1, farthest = 20;
  const Eigen::Matrix4d matrix = camera.projection(width / height, nearest, farthest) * camera.view();
  for (const Eigen::Vector3d& point : random_points(50, 3)) {
    const Eigen::Vector4d clip = matrix * point.homogeneous();
    const Eigen::Vector3d pixel = camera.project(point, width, height);
    EXPECT_NEAR((clip.x() / clip.w() + 1) / 2 * width, pixel.x(), 1e-9);
    EXPECT_NEAR((1 - clip.y() / clip.w()) / 2 * height, pixel.y(), 1e-9);
    EXPECT_NEAR(clip.w(), pixel.z(), 1e-12);
    EXPECT_LT(std::abs(clip.z() / clip.w()), 1);
    const Ray ray = camera.ray(pixel.x(), pixel.y(), width, height);
    EXPECT_NEAR(ray.direction.norm(), 1, 1e-14);
    EXPECT_LT((point - ray.origin).cross(ray.direction).norm(), 1e-12) << "the ray goes through the point";
    EXPECT_GT((point - ray.origin).dot(ray.direction), 0);
  }
  const Eigen::Vector4d near_point = camera.projection(1, nearest, farthest) * Eigen::Vector4d(0, 0, -nearest, 1);
  const Eigen::Vector4d far_point = camera.projection(1, nearest, farthest) * Eigen::Vector4d(0, 0, -farthest, 1);
  EXPECT_NEAR(near_point.z() / near_point.w(), -1, 1e-14);
  EXPECT_NEAR(far_point.z() / far_point.w(), 1, 1e-14);
}

TEST(ViewCamera, FitTouchesTheMargin) {
  for (const double aspect : {0.5, 1.0, 2.2}) {
    const auto points = random_points(200, 9);
    const Camera camera = fit({.azimuth = 140, .elevation = 35}, points, aspect, 0.1);
    Eigen::Array2d low(1, 1), high(-1, -1);
    for (const Eigen::Vector3d& point : points) {
      const Eigen::Vector3d pixel = camera.project(point, aspect, 1);
      ASSERT_GT(pixel.z(), 0);
      const Eigen::Array2d place(2 * pixel.x() / aspect - 1, 2 * pixel.y() - 1);
      low = low.min(place);
      high = high.max(place);
    }
    // In the middle, and in one direction as large as can be.
    EXPECT_LT((high + low).abs().maxCoeff(), 1e-9);
    EXPECT_NEAR(high.maxCoeff(), 0.9, 1e-9);
  }
}

TEST(ViewCamera, PanMovesTheTargetWithTheMouse) {
  Camera camera{.azimuth = 20, .elevation = 10, .distance = 3};
  const Eigen::Vector3d point = camera.target;
  camera.pan(30, -12, 500);
  const Eigen::Vector3d pixel = camera.project(point, 800, 500);
  EXPECT_NEAR(pixel.x(), 430, 1e-9);
  EXPECT_NEAR(pixel.y(), 238, 1e-9);
  camera.orbit(500, 500);
  EXPECT_EQ(camera.elevation, 89);
  EXPECT_LE(std::abs(camera.azimuth), 180);
}

// The nearest crossing by another way: barycentric coordinates from areas in the plane.
std::optional<double> first_crossing(const ViewSurface& surface, std::span<const float> positions, const Ray& ray) {
  std::optional<double> first;
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
    Eigen::Matrix3d corners;
    for (std::size_t k = 0; k < 3; ++k)
      corners.col(static_cast<Eigen::Index>(k)) =
          Eigen::Map<const Eigen::Vector3f>(&positions[std::size_t{3} * surface.triangles[t + k]]).cast<double>();
    const Eigen::Vector3d normal = (corners.col(1) - corners.col(0)).cross(corners.col(2) - corners.col(0));
    const double distance = normal.dot(corners.col(0) - ray.origin) / normal.dot(ray.direction);
    const Eigen::Vector3d point = ray.origin + distance * ray.direction;
    bool inside = std::isfinite(distance) && distance > 0;
    for (int k = 0; k < 3; ++k)
      inside = inside && (corners.col((k + 1) % 3) - corners.col(k)).cross(point - corners.col(k)).dot(normal) >= 0;
    if (inside && (!first || distance < *first)) first = distance;
  }
  return first;
}

TEST(ViewPicking, FindsTheFirstTriangle) {
  const ViewSurface& surface = beam_surface();
  const auto positions = surface_positions(surface, test::some_coordinates(beam_model(), 1));
  const Box box = box_of(positions);
  int hits = 0;
  const auto ends = random_points(200, 21);
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    const Eigen::Vector3d origin = box.centre() + 2 * box.diagonal() * ends[i].normalized();
    const Eigen::Vector3d through = box.centre() + 0.6 * ends[i + 1].cwiseProduct(box.size());
    const Ray ray = {origin, (through - origin).normalized()};
    const auto expected = first_crossing(surface, positions, ray);
    const auto hit = pick(surface, positions, ray);
    ASSERT_EQ(hit.has_value(), expected.has_value());
    if (!hit) continue;
    ++hits;
    EXPECT_NEAR(hit->distance, *expected, 1e-9 * box.diagonal());
    EXPECT_TRUE(meets(box, ray, 1e-6 * box.diagonal()));
    // The vertex is one of the triangle's, and no other of it is nearer.
    const Eigen::Vector3d point = ray.origin + hit->distance * ray.direction;
    const auto away = [&](std::uint32_t v) {
      return (Eigen::Map<const Eigen::Vector3f>(&positions[std::size_t{3} * v]).cast<double>() - point).norm();
    };
    std::set<std::uint32_t> corners;
    for (std::int64_t k = 0; k < 3; ++k) {
      corners.insert(surface.triangles[static_cast<std::size_t>(3 * hit->triangle + k)]);
      EXPECT_LE(away(hit->vertex), away(surface.triangles[static_cast<std::size_t>(3 * hit->triangle + k)]));
    }
    EXPECT_EQ(corners.count(hit->vertex), 1U);
  }
  EXPECT_GT(hits, 20);
  EXPECT_LT(hits, 100);
}

TEST(ViewPicking, BoxesByClosedForm) {
  const Box box = {{0, 0, 0}, {1, 2, 3}};
  EXPECT_TRUE(meets(box, {{-1, 1, 1}, {1, 0, 0}}, 0));
  EXPECT_FALSE(meets(box, {{-1, 1, 1}, {-1, 0, 0}}, 0)) << "it lies behind";
  EXPECT_FALSE(meets(box, {{-1, 2.1, 1}, {1, 0, 0}}, 0));
  EXPECT_TRUE(meets(box, {{-1, 2.1, 1}, {1, 0, 0}}, 0.2));
  EXPECT_TRUE(meets(box, {{0.5, 1, 1}, {0, 0, 1}}, 0)) << "from inside";
}

TEST(ViewPicking, CrowdsArePickedBodyByBody) {
  const ViewSurface& surface = beam_surface();
  const Box box = box_of(surface.rest);
  const auto places = body_places(12, box, UpAxis::z);
  ASSERT_EQ(places.size(), 12U);
  const Frame frame{.q = test::some_coordinates(beam_model(), 12)};
  for (std::size_t body = 0; body < 12; ++body) {
    const Eigen::Vector3d above = places[body] + box.centre() + Eigen::Vector3d(0, 0, 3 * box.diagonal());
    const auto hit = pick_body(surface, places, frame, {above, {0, 0, -1}});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, static_cast<std::int64_t>(body));
  }
}

// A body that flies is met where it is and in the same corner as at rest, seen from the same side of it.
TEST(ViewPicking, FlyingBodiesArePickedByTheirPose) {
  const ViewSurface& surface = beam_surface();
  const std::vector<float> q = test::some_coordinates(beam_model(), 3);
  const std::vector<Eigen::Vector3d> places(3, Eigen::Vector3d(0, 0, 1));
  Frame frame{.q = q};
  for (const Eigen::Vector3d& x : random_points(3, 11))
    frame.poses.emplace_back(Eigen::Translation3d(20 * x) * Eigen::AngleAxisd(3 * x.x(), x.normalized()));
  int hits = 0;
  const auto ends = random_points(60, 12);
  for (std::size_t i = 0; i < ends.size(); i += 2) {
    const std::size_t body = i % 3;
    const auto rank = static_cast<std::size_t>(surface.rank());
    const auto positions = surface_positions(surface, std::span(q).subspan(body * rank, rank));
    const Box box = box_of(positions);
    const Eigen::Vector3d origin = box.centre() + 2 * box.diagonal() * ends[i].normalized();
    const Eigen::Vector3d through = box.centre() + 0.5 * ends[i + 1].cwiseProduct(box.size());
    const Ray own = {origin, (through - origin).normalized()};
    const auto expected = pick(surface, positions, own);
    const Eigen::Isometry3d pose = Eigen::Translation3d(places[body]) * frame.poses[body];
    const auto hit = pick_body(surface, places, frame, {pose * own.origin, pose.linear() * own.direction});
    ASSERT_EQ(hit.has_value(), expected.has_value());
    if (!hit) continue;
    ++hits;
    EXPECT_EQ(hit->body, static_cast<std::int64_t>(body));
    EXPECT_EQ(hit->vertex, expected->vertex);
    EXPECT_NEAR(hit->distance, expected->distance, 1e-6);
  }
  EXPECT_GT(hits, 10);
}

TEST(ViewPicking, MouseMovesInThePlaneThatFacesTheCamera) {
  const Camera camera{.azimuth = 10, .elevation = 40, .distance = 4};
  const Eigen::Vector3d grabbed(0.3, 0.1, -0.2);
  const Eigen::Vector3d pixel = camera.project(grabbed, 400, 300);
  const auto moved = on_facing_plane(camera, camera.ray(pixel.x() + 25, pixel.y() - 9, 400, 300), grabbed);
  const Eigen::Vector3d there = camera.project(moved, 400, 300);
  EXPECT_NEAR(there.x(), pixel.x() + 25, 1e-9);
  EXPECT_NEAR(there.y(), pixel.y() - 9, 1e-9);
  EXPECT_NEAR(there.z(), pixel.z(), 1e-12) << "as far away as before";
}

TEST(ViewInteraction, TheLeftButtonPullsAtABodyAndTurnsElsewhere) {
  const ViewSurface& surface = beam_surface();
  const std::vector<Eigen::Vector3d> places = {{10, 20, 0}, {-3, 0, 0}};
  Interaction interaction(surface, places);
  Camera camera{.azimuth = -90, .elevation = 0, .distance = 3, .target = box_of(surface.rest).centre() + places[1]};
  const Camera before = camera;
  const Frame frame{.q = test::some_coordinates(beam_model(), 2)};
  EXPECT_FALSE(interaction.update({.x = 300, .y = 200}, 600, 400, camera, frame, true)) << "nothing is pressed";

  // In the middle of the picture is the second body's middle, of which the near side is pulled.
  auto pull = interaction.update({.x = 300, .y = 200, .left = true}, 600, 400, camera, frame, true);
  ASSERT_TRUE(pull && *pull);
  EXPECT_EQ((*pull)->body, 1);
  const auto hit = pick_body(surface, places, frame, camera.ray(300, 200, 600, 400));
  ASSERT_TRUE(hit);
  EXPECT_EQ((*pull)->vertex, hit->vertex);
  pull = interaction.update({.x = 320, .y = 150, .change_x = 20, .change_y = -50, .left = true}, 600, 400, camera,
                            frame, true);
  ASSERT_TRUE(pull && *pull);
  const Eigen::Vector3d pixel = camera.project((*pull)->target + places[1], 600, 400);
  EXPECT_NEAR(pixel.x(), 320, 1e-9);
  EXPECT_NEAR(pixel.y(), 150, 1e-9);
  EXPECT_EQ(camera.azimuth, before.azimuth) << "the camera waits";
  pull = interaction.update({.x = 320, .y = 150}, 600, 400, camera, frame, true);
  ASSERT_TRUE(pull);
  EXPECT_FALSE(*pull) << "let go";

  // Above the body, where there is nothing.
  EXPECT_FALSE(interaction.update({.x = 300, .y = 5, .left = true}, 600, 400, camera, frame, true));
  EXPECT_FALSE(interaction.update({.x = 310, .y = 5, .change_x = 10, .left = true}, 600, 400, camera, frame, true));
  EXPECT_NE(camera.azimuth, before.azimuth);
  EXPECT_FALSE(interaction.update({.x = 310, .y = 5}, 600, 400, camera, frame, true));
  // Nothing pulls at a motion that is played.
  camera = before;
  EXPECT_FALSE(interaction.update({.x = 300, .y = 200, .left = true}, 600, 400, camera, frame, false));
  EXPECT_FALSE(interaction.update({.x = 300, .y = 200, .scroll = 1}, 600, 400, camera, frame, false));
  EXPECT_LT(camera.distance, before.distance);
}

TEST(ViewInteraction, PullsAtFlyingBodiesInTheWorld) {
  const ViewSurface& surface = beam_surface();
  const std::vector<Eigen::Vector3d> places = {{0, 0, 3}};
  Frame frame{.q = test::some_coordinates(beam_model(), 1)};
  frame.poses.emplace_back(Eigen::Translation3d(7, -8, 9) *
                           Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 2, -1).normalized()));
  const Eigen::Isometry3d pose = standing(frame, places).front();
  Interaction interaction(surface, places);
  Camera camera{.azimuth = 30, .elevation = 20, .distance = 3, .target = pose * box_of(surface.rest).centre()};
  auto pull = interaction.update({.x = 300, .y = 200, .left = true}, 600, 400, camera, frame, true);
  ASSERT_TRUE(pull && *pull) << "in the middle of the picture is the body's middle";
  pull = interaction.update({.x = 320, .y = 150, .left = true}, 600, 400, camera, frame, true);
  ASSERT_TRUE(pull && *pull);
  const Eigen::Vector3d target = (*pull)->target + places[0];
  const Eigen::Vector3d pixel = camera.project(target, 600, 400);
  EXPECT_NEAR(pixel.x(), 320, 1e-9);
  EXPECT_NEAR(pixel.y(), 150, 1e-9);
  const auto positions = surface_positions(surface, frame.q);
  const Eigen::Vector3d grabbed =
      pose * Eigen::Map<const Eigen::Vector3f>(&positions[std::size_t{3} * (*pull)->vertex]).cast<double>();
  EXPECT_NEAR(camera.project(grabbed, 600, 400).z(), pixel.z(), 1e-12) << "as far away as what is pulled";
}

TEST(ViewStage, TheSceneKeepsFlyingBodies) {
  const ViewSurface& surface = beam_surface();
  const std::vector<Eigen::Vector3d> places(2, Eigen::Vector3d::Zero());
  const auto frame_at = [&](const Eigen::Vector3d& first, const Eigen::Vector3d& second) {
    Frame frame{.q = test::some_coordinates(beam_model(), 2)};
    for (const Eigen::Vector3d& x : {first, second})
      frame.poses.emplace_back(Eigen::Translation3d(x) * Eigen::AngleAxisd(x.x(), Eigen::Vector3d::UnitY()));
    return frame;
  };
  const std::vector<Frame> frames = {frame_at({0, 0, 0}, {1, 0, 5}), frame_at({-4, 2, 1}, {3, 8, 20})};
  // All of them are in the picture.
  Scene scene = make_scene(surface, places, frames, {}, 1.5);
  for (const Frame& frame : frames)
    for (std::size_t body = 0; body < 2; ++body) {
      const auto rank = static_cast<std::size_t>(surface.rank());
      const auto positions = surface_positions(surface, std::span(frame.q).subspan(body * rank, rank));
      for (std::size_t i = 0; i < positions.size(); i += 3) {
        const Eigen::Vector3d point =
            frame.poses[body] * Eigen::Map<const Eigen::Vector3f>(&positions[i]).cast<double>();
        const Eigen::Vector3d pixel = scene.camera.project(point, 1500, 1000);
        EXPECT_TRUE(pixel.x() > 0 && pixel.x() < 1500 && pixel.y() > 0 && pixel.y() < 1000);
        EXPECT_GT(point.z(), scene.ground_height);
        EXPECT_LT((point - scene.centre).norm(), scene.radius);
      }
    }
  // The ball goes with them, and the camera if it follows.
  keep_in_scene(scene, surface, frames[0].poses, false);
  const Camera still = scene.camera;
  keep_in_scene(scene, surface, frames[1].poses, false);
  EXPECT_EQ(scene.camera.target, still.target);
  const Eigen::Vector3d before = scene.centre;
  const std::vector<Frame> moved = {frame_at({-4, 2, 101}, {3, 8, 120})};
  keep_in_scene(scene, surface, moved[0].poses, true);
  EXPECT_LT((scene.centre - before - Eigen::Vector3d(0, 0, 100)).norm(), 1e-12);
  EXPECT_LT((scene.camera.target - still.target - Eigen::Vector3d(0, 0, 100)).norm(), 1e-12);
}

TEST(ViewStage, BodiesThatFlyStandFartherApart) {
  const ViewSurface& surface = beam_surface();
  ViewOptions options;
  options.session.batch.bodies = 9;
  const auto held = shown_places(surface, options);
  options.session.flight.emplace();
  const auto flying = shown_places(surface, options);
  const double size = box_of(surface.rest).diagonal();
  for (std::size_t a = 0; a < 9; ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_GT((flying[a] - flying[b]).norm(), size) << "however they are turned";
  EXPECT_LT((held[1] - held[0]).norm() + (held[4] - held[1]).norm(), 2 * size);
  // A recorded flight is shown as it was.
  const Trajectory motion{.bodies = 3, .pose = {0}};
  options.motion = &motion;
  EXPECT_EQ(shown_places(surface, options), std::vector<Eigen::Vector3d>(3, Eigen::Vector3d::Zero()));
}

TEST(ViewCorners, EdgesAreSharpAndFacesFlat) {
  const ProceduralMesh box = make_box({.length = 3, .width = 2, .height = 2, .cells_x = 3});
  ReducedModel model = reduce(box.mesh, box.fixed_vertices, {.modes = 2, .rank = 2});
  const ViewSurface surface = view_surface(model);
  const ShadingCorners corners = shading_corners(surface, 40);
  // Each of six faces has its own vertices: 2 (4*3 + 4*3 + 3*3) of a 3 x 2 x 2 grid.
  EXPECT_EQ(corners.drawn_count(), 2 * (4 * 3 + 4 * 3 + 3 * 3));
  const auto normals = corner_normals(corners, surface, surface.rest);
  for (std::size_t d = 0; d < normals.size(); d += 3) {
    const Eigen::Vector3d n = Eigen::Vector3d::Map(&normals[d]);
    EXPECT_NEAR(n.cwiseAbs().maxCoeff(), 1, 1e-12) << "along an axis";
    const auto rest = Eigen::Map<const Eigen::Vector3f>(&surface.rest[std::size_t{3} * corners.vertices[d / 3]]);
    EXPECT_GT((rest.cast<double>() - box_of(surface.rest).centre()).dot(n), 0) << "outwards";
  }
  // With every angle smooth, a vertex is drawn once; corners then look away from the centre.
  const ShadingCorners smooth = shading_corners(surface, 180);
  EXPECT_EQ(smooth.drawn_count(), surface.vertex_count());
  ASSERT_EQ(smooth.incident.size(), surface.triangles.size());
  for (std::size_t corner = 0; corner < surface.triangles.size(); ++corner) {
    EXPECT_EQ(corners.vertices[corners.corners[corner]], surface.triangles[corner]);
    EXPECT_EQ(smooth.vertices[smooth.corners[corner]], surface.triangles[corner]);
  }
}

TEST(ViewBasis, HalfPrecisionKeepsElevenBitsOfEveryEntry) {
  const ViewSurface& surface = beam_surface();
  const PackedBasis packed = pack_basis(surface, BasisPrecision::half);
  ASSERT_EQ(packed.word_count, 4);
  ASSERT_EQ(packed.modes(), 8);
  EXPECT_EQ(packed.scales[7], 0) << "nothing fills up the last word";
  const std::int64_t vertices = surface.vertex_count();
  for (int mode = 0; mode < 7; ++mode)
    for (std::int64_t row = 0; row < 3 * vertices; ++row) {
      const std::int64_t at = (3 * (mode / 2) + row % 3) * vertices + row / 3;
      const std::uint32_t word = packed.words[static_cast<std::size_t>(at)];
      const io::Half half{static_cast<std::uint16_t>(mode % 2 == 0 ? word : word >> 16)};
      const double value = io::from_half(half) * packed.scales[static_cast<std::size_t>(mode)];
      const double exact = surface.basis(row, mode);
      // To nearest: half a unit of the 11th bit; the smallest ones have units of 2^-24 of what goes up to 2^15.
      EXPECT_LE(std::abs(value - exact), std::max(0x1p-11 * std::abs(exact), 0x1p-39 * 1.0)) << mode << ' ' << row;
    }
}

TEST(ViewFrames, NamesHaveOnePlaceForANumber) {
  EXPECT_EQ(frame_name("out_%04d.png", 12), "out_0012.png");
  EXPECT_EQ(frame_name("out_%02d.png", 12345), "out_12345.png");
  EXPECT_EQ(frame_name("%d.png", 7), "7.png");
  EXPECT_EQ(frame_name("plain.png", 7), "plain.png");
  EXPECT_TRUE(has_frame_number("a%dz"));
  EXPECT_FALSE(has_frame_number("plain.png"));
  for (const char* bad : {"%", "%s.png", "%4d.png", "%d_%d.png", "a%%d", "%00d", "%0", "%n.png"})
    EXPECT_THROW((void)frame_name(bad, 1), InputError) << bad;
}

}  // namespace
}  // namespace quartic::view
