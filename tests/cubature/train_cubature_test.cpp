// Trained cubatures: their errors on states that they weren't trained on, exactness at rest, the same for the same
// seed.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <vector>

#include "quartic/basis.hpp"
#include "quartic/cubature_training.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

struct Body {
  VolumeMesh mesh;
  Matrix basis;
};

// A beam with the basis of a reduction; the law doesn't change it.
Body beam(MaterialLaw law, int rank = 6) {
  ProceduralMesh body = make_box({.length = 4,
                                  .width = 1,
                                  .height = 1,
                                  .cells_x = 8,
                                  .cells_y = 2,
                                  .cells_z = 2,
                                  .type = ElementType::tet4,
                                  .material = {.youngs_modulus = 1e6, .poissons_ratio = 0.4, .density = 1000}});
  Matrix basis = reduce(body.mesh, body.fixed_vertices, {.modes = 4, .rank = rank}).basis;
  body.mesh.regions[0].material->law = law;
  return {std::move(body.mesh), std::move(basis)};
}

CubatureOptions quick() {
  return {.samples = 60, .fresh_samples = 20, .amplitude = 0.15};
}

TEST(TrainCubature, GetsBetterWithPoints) {
  const Body body = beam(MaterialLaw::stable_neo_hookean);
  double last = 1;
  for (const int points : {6, 12, 24, 48}) {
    CubatureOptions options = quick();
    options.points = points;
    const Cubature cubature = train_cubature(body.mesh, body.basis.map(), options);
    ASSERT_TRUE(cubature.report.has_value());
    EXPECT_EQ(cubature.count(), points);
    EXPECT_LT(cubature.report->residual, last);
    last = cubature.report->residual;
    for (const double w : cubature.weights) EXPECT_GT(w, 0);
    if (points >= 24) {
      EXPECT_LT(cubature.report->equilibrium.median, 1e-2) << points;
      EXPECT_LT(cubature.report->force.median, 3e-2) << points;
    }
  }
}

TEST(TrainCubature, ReachesTheTolerance) {
  for (const MaterialLaw law : {MaterialLaw::mooney_rivlin, MaterialLaw::corotational}) {
    const Body body = beam(law);
    for (const ControlVariate base : {ControlVariate::none, ControlVariate::stiffness, ControlVariate::stvk}) {
      CubatureOptions options = quick();
      options.base = base;
      const Cubature cubature = train_cubature(body.mesh, body.basis.map(), options);
      EXPECT_LE(cubature.report->residual, options.tolerance);
      EXPECT_LT(cubature.report->equilibrium.median, 2e-2) << control_variate_name(base);
      EXPECT_LT(cubature.count(), 80);
    }
  }
}

// Hooke's part is summed up exactly: so is the stiffness at rest, and with it the frequencies.
TEST(TrainCubature, StiffnessAtRestIsExact) {
  const Body body = beam(MaterialLaw::mooney_rivlin);
  CubatureOptions options = quick();
  options.points = 8;
  const Cubature cubature = train_cubature(body.mesh, body.basis.map(), options);
  const Eigen::MatrixXd exact = body.basis.map().transpose() * (stiffness_matrix(body.mesh).map() * body.basis.map());
  const std::vector<double> rest(static_cast<std::size_t>(cubature.rank));
  EXPECT_LT((evaluate(cubature, rest).stiffness.map() - exact).norm(), 1e-12 * exact.norm());
}

TEST(TrainCubature, StvkNeedsNoPointsBesideItsPolynomial) {
  const Body body = beam(MaterialLaw::stvk);
  CubatureOptions options = quick();
  options.base = ControlVariate::stvk;
  EXPECT_EQ(train_cubature(body.mesh, body.basis.map(), options).count(), 0);
}

TEST(TrainCubature, DependsOnTheSeedAlone) {
  const Body body = beam(MaterialLaw::neo_hookean_polynomial);
  CubatureOptions options = quick();
  options.points = 18;
  const Cubature one = train_cubature(body.mesh, body.basis.map(), options),
                 again = train_cubature(body.mesh, body.basis.map(), options);
  EXPECT_EQ(one.points, again.points);
  EXPECT_EQ(one.weights, again.weights);
  EXPECT_EQ(one.report->equilibrium.largest, again.report->equilibrium.largest);
  options.seed = 2;
  EXPECT_NE(train_cubature(body.mesh, body.basis.map(), options).weights, one.weights);
}

TEST(TrainCubature, FullCubatureHasNoErrors) {
  const Body body = beam(MaterialLaw::mooney_rivlin);
  const CubatureReport report =
      judge_cubature(body.mesh, body.basis.map(), full_cubature(body.mesh, body.basis.map()), quick());
  EXPECT_LT(report.force.largest, 1e-10);
  EXPECT_LT(report.energy.largest, 1e-10);
  EXPECT_LT(report.tangent.largest, 1e-10);
  EXPECT_LT(report.equilibrium.largest, 1e-6);
}

// The tangent is of evaluations alone, and judging tells how the cubature was trained.
TEST(TrainCubature, IsJudgedWithTheExactTangent) {
  const Body body = beam(MaterialLaw::mooney_rivlin, 4);
  CubatureOptions options = quick();
  options.points = 8;
  options.base = ControlVariate::none;
  const Cubature exact = train_cubature(body.mesh, body.basis.map(), options);
  options.tangent = LawTangent::projected;
  Cubature projected = train_cubature(body.mesh, body.basis.map(), options);
  EXPECT_EQ(projected.tangent, LawTangent::projected);
  EXPECT_EQ(projected.weights, exact.weights);
  EXPECT_EQ(projected.report->tangent.largest, exact.report->tangent.largest);
  EXPECT_EQ(projected.report->equilibrium.largest, exact.report->equilibrium.largest);
  const CubatureReport again = judge_cubature(body.mesh, body.basis.map(), projected, options);
  EXPECT_EQ(again.tangent.largest, exact.report->tangent.largest);
  CubatureOptions other = quick();
  other.seed = 9;
  const CubatureReport fresh = judge_cubature(body.mesh, body.basis.map(), projected, other);
  EXPECT_NE(fresh.equilibrium.largest, exact.report->equilibrium.largest);
  EXPECT_EQ(fresh.residual, exact.report->residual);
  EXPECT_EQ(fresh.tolerance, exact.report->tolerance);
  EXPECT_EQ(fresh.seed, exact.report->seed);
}

TEST(TrainCubature, FewerPointsThanAskedForAreTold) {
  ProceduralMesh body = make_box({.length = 2,
                                  .width = 1,
                                  .height = 1,
                                  .cells_x = 4,
                                  .cells_y = 2,
                                  .cells_z = 2,
                                  .type = ElementType::tet4,
                                  .material = {.youngs_modulus = 1e6, .poissons_ratio = 0.3, .density = 1000}});
  ReduceReport report;
  CubatureOptions options = quick();
  options.base = ControlVariate::stvk;  // all that StVK has
  options.points = 5;
  const ReducedModel model =
      reduce(body.mesh, body.fixed_vertices, {.modes = 3, .rank = 4, .cubature = options}, &report);
  EXPECT_EQ(model.cubature->count(), 0);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_NE(report.warnings[0].find("has 0 points, not 5"), std::string::npos) << report.warnings[0];
}

TEST(TrainCubature, RefusesWhatCannotBe) {
  const Body body = beam(MaterialLaw::mooney_rivlin, 4);
  const auto refused = [&](const CubatureOptions& options, const std::string& word) {
    const std::string message =
        test::message_of([&] { static_cast<void>(train_cubature(body.mesh, body.basis.map(), options)); });
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  refused({.tolerance = 0}, "tolerance");
  refused({.points = -1}, "point");
  refused({.samples = 1}, "states");
  refused({.amplitude = -1}, "amplitude");
  refused({.base = static_cast<ControlVariate>(5)}, "ControlVariate");
  refused({.tangent = static_cast<LawTangent>(5)}, "LawTangent");
  Eigen::MatrixXd rigid = body.basis.map();
  for (Eigen::Index v = 0; v < rigid.rows(); v += 3) rigid.col(0).segment(v, 3) << 1, 0, 0;
  EXPECT_NE(test::message_of([&] { static_cast<void>(train_cubature(body.mesh, rigid, quick())); }).find("rigid"),
            std::string::npos);
  CubatureOptions hard = quick();
  hard.tolerance = 1e-15;
  hard.candidates = 5;
  try {
    static_cast<void>(train_cubature(body.mesh, body.basis.map(), hard));
    FAIL();
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("out of reach"), std::string::npos);
  }
}

}  // namespace
}  // namespace quartic
