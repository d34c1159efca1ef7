// What the graphics card computes beside what the CPU does. Needs OpenGL 4.3, which Mesa has in software, too.
#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <memory>

#include "quartic/quartic.hpp"
#include "view/gl/gl_context.hpp"
#include "view/gl/offscreen.hpp"
#include "view/gl/scene_renderer.hpp"
#include "view/gl/shaders.hpp"
#include "view/gl/surface_renderer.hpp"
#include "view/view_models.hpp"
#include "view/window/stage.hpp"

// Mesa's driver leaks a little when it is unloaded, and then has no name to be told by.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}

namespace quartic::view {
namespace {

using test::beam_model;
using test::beam_surface;
using test::some_coordinates;

class ViewDrawing : public testing::Test {
 protected:
  void SetUp() override {
    try {
      context_ = std::make_unique<OffscreenContext>();
    } catch (const BackendUnavailable& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::unique_ptr<OffscreenContext> context_;
};

// Turned in many ways, apart from each other.
std::vector<Eigen::Isometry3d> some_poses(std::int64_t bodies) {
  const std::vector<double> numbers = test::random_numbers(static_cast<std::size_t>(7 * bodies), 8);
  std::vector<Eigen::Isometry3d> poses;
  for (std::int64_t body = 0; body < bodies; ++body) {
    const double* x = &numbers[static_cast<std::size_t>(7 * body)];
    poses.emplace_back(Eigen::Translation3d(3 * x[0], 3 * x[1], 3 * x[2]) *
                       Eigen::Quaterniond(x[3], x[4], x[5], x[6]).normalized());
  }
  return poses;
}

// Displacements of the surface's vertices of all bodies, by the library.
std::vector<float> displacements(const std::vector<float>& q) {
  const ReducedModel& model = beam_model();
  const std::int64_t rank = model.rank(), bodies = std::ssize(q) / rank;
  std::vector<float> u(static_cast<std::size_t>(bodies) * beam_surface().rest.size());
  vertex_displacements<float>(model.basis.map(), {q.data(), rank, bodies, 1, rank},
                              beam_surface().embedding.volume_vertices, u);
  return u;
}

void expect_positions(BasisPrecision precision, int bodies) {
  const ViewSurface& surface = beam_surface();
  const int rank = surface.rank();
  const std::vector<float> q = some_coordinates(beam_model(), bodies), u = displacements(q);
  SurfaceRenderer renderer(surface, shading_corners(surface, 40), precision, bodies);
  renderer.move(q, some_poses(bodies));
  for (int body = 0; body < bodies; ++body) {
    const std::vector<float> positions = renderer.read_positions(body);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      double parts = 0;
      for (int mode = 0; mode < rank; ++mode)
        parts +=
            std::abs(surface.basis(row, mode) * static_cast<double>(q[static_cast<std::size_t>(body * rank + mode)]));
      const float expected = surface.rest[i] + u[static_cast<std::size_t>(body) * positions.size() + i];
      // Single: a rounding of 2^-24 for each of some ten operations, on numbers up to the position and the parts.
      // Half: each mode's part is off by 2^-11 besides.
      const double single = 1e-6 * (std::abs(static_cast<double>(surface.rest[i])) + parts);
      const double tolerance = single + (precision == BasisPrecision::half ? 0x1p-11 * parts : 0.0);
      ASSERT_NEAR(positions[i], expected, tolerance) << "body " << body << ", number " << i;
    }
  }
}

TEST_F(ViewDrawing, PositionsAreRestPlusUqInSinglePrecision) {
  for (const int bodies : {1, 3, 4, 9}) expect_positions(BasisPrecision::single, bodies);
}

TEST_F(ViewDrawing, PositionsAreRestPlusUqInHalfPrecision) {
  for (const int bodies : {1, 3, 4, 9}) expect_positions(BasisPrecision::half, bodies);
}

struct ShadedVertex {
  std::array<float, 3> place, normal;
  float value;
};

// What the vertex shader of bodies hands on, captured. @param colour_by as the shader's uniform block has it
std::vector<ShadedVertex> shaded_vertices(const SurfaceRenderer& renderer, const ViewSurface& surface,
                                          const ShadingCorners& corners, float colour_by) {
  const std::string preamble = std::string(shaders::surface_buffers) + std::string(shaders::scene_block);
  const ShaderProgram program({{GL_VERTEX_SHADER, shaders::body_vertex}}, preamble, {"place", "normal", "value"});
  const OffscreenTarget target(16, 16);  // nothing gets there, but some framebuffer has to be bound
  glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer());
  std::array<float, 80> block{};
  block[76] = colour_by;  // the first of `colouring`, the last vector
  Buffer scene, captured;
  scene.assign(std::span<const float>(block));
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, scene.name());
  std::vector<ShadedVertex> vertices(static_cast<std::size_t>(corners.drawn_count() * renderer.bodies()));
  captured.allocate(vertices.size() * sizeof(ShadedVertex));
  const VertexArray none;
  glBindVertexArray(none.name());
  program.use();
  program.set(0, static_cast<GLuint>(surface.vertex_count()));
  renderer.bind_buffers();
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured.name());
  glEnable(GL_RASTERIZER_DISCARD);
  glBeginTransformFeedback(GL_POINTS);
  glDrawArraysInstanced(GL_POINTS, 0, static_cast<GLsizei>(corners.drawn_count()),
                        static_cast<GLsizei>(renderer.bodies()));
  glEndTransformFeedback();
  glDisable(GL_RASTERIZER_DISCARD);
  captured.read(std::span(vertices));
  check_gl("capture vertices");
  return vertices;
}

TEST_F(ViewDrawing, NormalsAreThoseOfTheDeformedTrianglesAndTurnWithTheBody) {
  const ViewSurface& surface = beam_surface();
  const std::vector<Eigen::Isometry3d> poses = some_poses(3);
  for (const double crease : {0.0, 40.0, 180.0}) {
    const ShadingCorners corners = shading_corners(surface, crease);
    SurfaceRenderer renderer(surface, corners, BasisPrecision::single, 3);
    renderer.move(some_coordinates(beam_model(), 3), poses);
    const auto vertices = shaded_vertices(renderer, surface, corners, 0);
    for (std::int64_t body = 0; body < 3; ++body) {
      // From the card's own positions, so that only the shader's arithmetic is compared.
      const std::vector<double> expected = corner_normals(corners, surface, renderer.read_positions(body));
      for (std::int64_t d = 0; d < corners.drawn_count(); ++d) {
        const Eigen::Vector3d turned = poses[static_cast<std::size_t>(body)].linear() *
                                       Eigen::Vector3d::Map(&expected[static_cast<std::size_t>(3 * d)]);
        for (std::size_t c = 0; c < 3; ++c)
          // Edges are differences of positions ten times as large as they are: 2^-24 * 10, and a few operations.
          ASSERT_NEAR(vertices[static_cast<std::size_t>(body * corners.drawn_count() + d)].normal[c],
                      turned[static_cast<Eigen::Index>(c)], 5e-6);
      }
    }
  }
}

// Seen from a point near them, bodies are where they should be to the rounding of what is near, however far away.
TEST_F(ViewDrawing, PlacesAreTurnedPositionsFromTheOrigin) {
  const ViewSurface& surface = beam_surface();
  const ShadingCorners corners = shading_corners(surface, 40);
  const Eigen::Vector3d origin(4e7, -2e7, 3e6);
  std::vector<Eigen::Isometry3d> near = some_poses(2), far = near;
  for (Eigen::Isometry3d& pose : far) pose.pretranslate(origin);
  SurfaceRenderer renderer(surface, corners, BasisPrecision::single, 2);
  renderer.set_origin(origin);
  renderer.move(some_coordinates(beam_model(), 2), far);
  const auto vertices = shaded_vertices(renderer, surface, corners, 0);
  for (std::int64_t body = 0; body < 2; ++body) {
    const std::vector<float> positions = renderer.read_positions(body);
    for (std::int64_t d = 0; d < corners.drawn_count(); ++d) {
      const float* own = &positions[std::size_t{3} * corners.vertices[static_cast<std::size_t>(d)]];
      const Eigen::Vector3d expected =
          near[static_cast<std::size_t>(body)] * Eigen::Map<const Eigen::Vector3f>(own).cast<double>();
      const auto& found = vertices[static_cast<std::size_t>(body * corners.drawn_count() + d)].place;
      // Four products of numbers up to 5 m, rounded to 2^-24 each; far poses themselves are good to 2^-53 of 4e7 m.
      ASSERT_LT((Eigen::Map<const Eigen::Vector3f>(found.data()).cast<double>() - expected).norm(), 3e-6);
    }
  }
}

TEST_F(ViewDrawing, ValuesAreDisplacementAndStrain) {
  const ViewSurface& surface = beam_surface();
  const ShadingCorners corners = shading_corners(surface, 0);
  SurfaceRenderer renderer(surface, corners, BasisPrecision::single, 1);
  const std::vector<float> q = some_coordinates(beam_model(), 1), u = displacements(q);
  renderer.move(q, some_poses(1));
  const auto displaced = shaded_vertices(renderer, surface, corners, 1);
  for (std::size_t d = 0; d < displaced.size(); ++d) {
    const auto moved = Eigen::Map<const Eigen::Vector3f>(&u[std::size_t{3} * corners.vertices[d]]);
    ASSERT_NEAR(displaced[d].value, moved.norm(), 1e-6);  // both are differences of positions up to 1 m
  }

  // Strain another way: the deformation gradient in an orthonormal frame of the triangle at rest.
  const std::vector<float> positions = renderer.read_positions(0);
  const auto corner = [&](const std::vector<float>& points, std::size_t t, std::size_t k) -> Eigen::Vector3d {
    return Eigen::Map<const Eigen::Vector3f>(&points[std::size_t{3} * surface.triangles[3 * t + k]]).cast<double>();
  };
  const auto strained = shaded_vertices(renderer, surface, corners, 2);
  for (std::size_t d = 0; d < strained.size(); ++d) {
    double sum = 0;
    for (std::uint32_t k = corners.offsets[d]; k < corners.offsets[d + 1]; ++k) {
      const std::size_t t = corners.incident[k];
      Eigen::Matrix<double, 3, 2> rest, moved;
      rest << corner(surface.rest, t, 1) - corner(surface.rest, t, 0),
          corner(surface.rest, t, 2) - corner(surface.rest, t, 0);
      moved << corner(positions, t, 1) - corner(positions, t, 0), corner(positions, t, 2) - corner(positions, t, 0);
      const Eigen::HouseholderQR<Eigen::Matrix<double, 3, 2>> frame(rest);
      const Eigen::Matrix2d in_plane = frame.matrixQR().topRows<2>().triangularView<Eigen::Upper>();
      const Eigen::Matrix<double, 3, 2> gradient = moved * in_plane.inverse();
      sum += (0.5 * (gradient.transpose() * gradient - Eigen::Matrix2d::Identity())).squaredNorm();
    }
    const double expected = std::sqrt(sum / (corners.offsets[d + 1] - corners.offsets[d]));
    // Scalar products are of the size of squared edges and rounded to 2^-24 of that.
    ASSERT_NEAR(strained[d].value, expected, 3e-6 + 1e-5 * expected);
  }
}

// A picture of the beam from the side: which pixels aren't backdrop, and what box they fill.
void expect_silhouette(const Eigen::Isometry3d& pose) {
  const ViewSurface& surface = beam_surface();
  const int width = 320, height = 200;
  const std::vector<Frame> frames = {{.q = some_coordinates(beam_model(), 1), .poses = {pose}}};
  const std::vector<Eigen::Vector3d> places(1, Eigen::Vector3d::Zero());
  SurfaceRenderer renderer(surface, shading_corners(surface, 40), BasisPrecision::single, 1);
  renderer.move(frames[0].q, frames[0].poses);
  SceneOptions options{.azimuth = -80, .elevation = 10};
  Scene scene = make_scene(surface, places, frames, options, static_cast<double>(width) / height);
  scene.ground_height -= 1e3 * scene.radius;  // no shadow in the picture
  scene.colour = {0.5F, 0, 0};                // red, while the backdrop is grey
  OffscreenTarget target(width, height);
  SceneRenderer scenes(512);
  scenes.draw(renderer, scene, target.framebuffer(), target.drawn_width(), target.drawn_height());
  target.resolve();
  const std::vector<std::uint8_t> rgb = target.read();

  Eigen::Array2d low(1e9, 1e9), high(-1e9, -1e9), seen_low = low, seen_high = high;
  const std::vector<float> positions = renderer.read_positions(0);
  for (std::size_t i = 0; i < positions.size(); i += 3) {
    const Eigen::Vector3d point = pose * Eigen::Map<const Eigen::Vector3f>(&positions[i]).cast<double>();
    const Eigen::Vector3d pixel = scene.camera.project(point, width, height);
    low = low.min(pixel.head<2>().array());
    high = high.max(pixel.head<2>().array());
  }
  int inside = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::uint8_t* pixel = &rgb[static_cast<std::size_t>(3 * (y * width + x))];
      if (pixel[0] < pixel[2] + 20) continue;
      ++inside;
      seen_low = seen_low.min(Eigen::Array2d(x, y));
      seen_high = seen_high.max(Eigen::Array2d(x + 1, y + 1));
    }
  // A pixel on each side: one that is covered less than half isn't red enough to be counted.
  EXPECT_LT((seen_low - low).abs().maxCoeff(), 1.5);
  EXPECT_LT((seen_high - high).abs().maxCoeff(), 1.5);
  EXPECT_GT(inside, 1500) << "it isn't an outline alone";
}

TEST_F(ViewDrawing, TheSilhouetteIsWhereTheCameraProjectsIt) {
  expect_silhouette(Eigen::Isometry3d::Identity());
}

TEST_F(ViewDrawing, TheSilhouetteOfATurnedBodyFarAwayIs) {
  Eigen::Isometry3d pose = Eigen::Translation3d(1e7, 2e7, -3e6) * Eigen::Quaterniond(0.3, -0.5, 0.4, 0.7).normalized();
  expect_silhouette(pose);
}

TEST_F(ViewDrawing, ShadersThatDontCompileSaySo) {
  EXPECT_THROW(ShaderProgram({{GL_VERTEX_SHADER, "void main() { nonsense; }"}}, ""), DeviceError);
  try {
    const ShaderProgram program({{GL_VERTEX_SHADER, "void main() { nonsense; }"}}, "");
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
  }
  check_gl("do nothing");
}

TEST_F(ViewDrawing, ErrorsOfTheDriverBecomeExceptions) {
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  glBufferData(GL_ARRAY_BUFFER, 4, nullptr, GL_STATIC_DRAW);  // to no buffer at all
  try {
    check_gl("send nothing");
    FAIL() << "this was wrong";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("send nothing"), std::string::npos);
  }
  EXPECT_NO_THROW(check_gl("go on"));
}

TEST_F(ViewDrawing, WhatDoesntFitIsRefused) {
  const ViewSurface& surface = beam_surface();
  GLint most = 0;
  glGetIntegerv(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
  const std::int64_t bodies = std::int64_t{most} / (12 * surface.vertex_count()) + 1;
  if (bodies < 1000000) {
    EXPECT_THROW(SurfaceRenderer(surface, shading_corners(surface, 40), BasisPrecision::half, bodies), InputError);
  }
  EXPECT_THROW(OffscreenTarget(1 << 20, 4), InputError);
  EXPECT_THROW(OffscreenTarget(0, 4), InputError);
}

}  // namespace
}  // namespace quartic::view
