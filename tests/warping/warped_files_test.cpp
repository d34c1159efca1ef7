// Files of warped motions: what they keep, what they show, and what they refuse.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "quartic/quartic.hpp"
#include "support/boxes.hpp"
#include "support/files.hpp"
#include "support/support.hpp"
#include "support/vtu_document.hpp"
#include "warping/bent_bar.hpp"

namespace quartic {
namespace {

class WarpedFiles : public testing::TestWithParam<Warp> {
 protected:
  WarpedFiles()
      : model_(modal_model(reduce(test::make_box(test::BoxCells::tets, {3, 1, 1}),
                                  Supports(std::vector<std::int32_t>{0, 4, 8, 12}), {.modes = 4, .energy = false}))) {
    motion_.bodies = 2;
    motion_.rank = 4;
    motion_.time = {0, 0.1, 0.2};
    motion_.q = test::random_numbers(24, 8);
    for (double& q : motion_.q) q *= 20;  // some radians
    motion_.status.assign(2, BodyStatus::ok);
    motion_.coordinates = Coordinates::linear_modes;
    motion_.warp = GetParam();
  }

  /// Of body 0, by the warps themselves; shape (n, 3).
  [[nodiscard]] std::vector<double> displacements(std::size_t frame) const {
    const std::span<const double> q(motion_.q.data() + 8 * frame, 4);
    const auto modes = model_.basis.map();
    if (GetParam() == Warp::rotation_strain)
      return RotationStrainWarp(model_.mesh, model_.fixed_vertices)
          .warp(modes * Eigen::VectorXd::Map(q.data(), 4))
          .values;
    std::vector<double> u(model_.mesh.vertices.size());
    ModalWarp(model_.mesh, modes).displacements<double>({q.data(), 4, 1, 1, 4}, {}, u);
    return u;
  }

  test::TemporaryFolder folder_;
  ReducedModel model_;
  Trajectory motion_;
};
INSTANTIATE_TEST_SUITE_P(Warps, WarpedFiles, testing::Values(Warp::modal, Warp::rotation_strain),
                         [](const auto& info) { return info.param == Warp::modal ? "modal" : "rotation_strain"; });

TEST_P(WarpedFiles, KeepTheWarpAndCutBodiesDoToo) {
  save_trajectory(motion_, folder_ / "m.qtraj");
  const Trajectory read = load_trajectory(folder_ / "m.qtraj");
  EXPECT_EQ(read.warp, GetParam());
  EXPECT_EQ(read.coordinates, Coordinates::linear_modes);
  EXPECT_EQ(read.q, motion_.q);
  EXPECT_EQ(body_trajectory(read, 1).warp, GetParam());
  EXPECT_NE(test::file_text(folder_ / "m.qtraj").find("warp"), std::string::npos);
}

TEST_P(WarpedFiles, OfOtherCoordinatesAreRefused) {
  motion_.coordinates = Coordinates::basis;
  EXPECT_THROW(save_trajectory(motion_, folder_ / "m.qtraj"), InputError);
  EXPECT_THROW((void)write_glb(model_, motion_, folder_ / "m.glb"), InputError);
}

TEST_P(WarpedFiles, PointCachesShowTheWarpedSurface) {
  (void)write_mdd(model_, motion_, folder_ / "m.mdd");
  const std::string bytes = test::file_text(folder_ / "m.mdd");
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t byte = 0; byte < 4; ++byte) value = value << 8 | static_cast<unsigned char>(bytes[4 * at + byte]);
    return value;
  };
  const std::size_t frames = word(0), points = word(1);
  ASSERT_EQ(frames, 3);
  const SurfaceEmbedding surface = boundary_surface(model_.mesh);
  ASSERT_EQ(points, static_cast<std::size_t>(surface.vertex_count()));
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const auto u = displacements(frame);
    for (std::size_t p = 0; p < points; ++p)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t at = 3 * static_cast<std::size_t>(surface.volume_vertices[p]) + c;
        const double position = model_.mesh.vertices[at] + u[at];
        EXPECT_NEAR(std::bit_cast<float>(word(2 + frames + 3 * (frame * points + p) + c)), position,
                    1e-6 * (1 + std::abs(position)));
      }
  }
}

TEST_P(WarpedFiles, ParaViewGetsTheWarpedDisplacements) {
  write_pvd(model_, motion_, folder_ / "m.pvd");
  for (std::size_t frame = 0; frame < 3; ++frame) {
    const test::VtuDocument vtu(folder_ / ("m/m_000" + std::to_string(frame) + ".vtu"));
    EXPECT_LT(test::largest_difference(vtu.values<double>("displacement"), displacements(frame)), 1e-12);
  }
}

TEST_P(WarpedFiles, BlendShapesAreRefusedWithAHint) {
  try {
    (void)write_usd(model_, motion_, folder_ / "m.usda");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--usd points"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m.usda"));
  (void)write_usd(model_, motion_, folder_ / "m.usda", UsdMotion::points);
  EXPECT_NE(test::file_text(folder_ / "m.usda").find("points.timeSamples"), std::string::npos);
}

TEST_P(WarpedFiles, GlbHoldsAShapePerFrame) {
  (void)write_glb(model_, motion_, folder_ / "m.glb");
  EXPECT_NE(test::file_text(folder_ / "m.glb").find("\"frame 2\""), std::string::npos);
  motion_.warp = Warp::none;
  (void)write_glb(model_, motion_, folder_ / "linear.glb");
  EXPECT_EQ(test::file_text(folder_ / "linear.glb").find("\"frame 2\""), std::string::npos);
}

TEST_P(WarpedFiles, BodiesThatWarpsWouldNotKeepAreRefused) {
  model_.constraints = hold_along(std::vector<std::int32_t>{3}, {1, 0, 0});
  EXPECT_THROW((void)body_shape(model_, GetParam()), InputError);
  EXPECT_NO_THROW((void)body_shape(model_, Warp::none));
}

TEST_P(WarpedFiles, SurfacesMoveWithTheVolume) {
  const auto volume = body_shape(model_, GetParam());
  const auto surface = surface_shape(model_, boundary_surface(model_.mesh), GetParam());
  EXPECT_FALSE(volume->is_linear());
  EXPECT_EQ(volume->rank(), 4);
  std::vector<double> u(static_cast<std::size_t>(3 * surface->vertex_count())), all = displacements(1);
  surface->displacements({motion_.q.data() + 8, 4}, u);
  const auto vertices = boundary_surface(model_.mesh).volume_vertices;
  for (std::size_t s = 0; s < vertices.size(); ++s)
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(u[3 * s + c], all[3 * static_cast<std::size_t>(vertices[s]) + c], 1e-13);
  EXPECT_THROW(volume->displacements({motion_.q.data(), 3}, all), InputError);
}

}  // namespace
}  // namespace quartic
