// States to train on: equilibria and lifted ones are of different random numbers.
#include "core/cubature/training_states.hpp"

#include <gtest/gtest.h>

#include "quartic/cubature_training.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace quartic {
namespace {

TEST(TrainingStates, OfBothKindsAreIndependent) {
  ProceduralMesh body = make_box({.length = 2,
                                  .width = 1,
                                  .height = 1,
                                  .cells_x = 4,
                                  .cells_y = 2,
                                  .cells_z = 2,
                                  .type = ElementType::tet4,
                                  .material = {.youngs_modulus = 1e6, .poissons_ratio = 0.3, .density = 1000}});
  const Matrix basis = reduce(body.mesh, body.fixed_vertices, {.modes = 4, .rank = 4}).basis;
  const Cubature all = full_cubature(body.mesh, basis.map());
  // So small that both kinds are linear: of the same numbers they would be parallel.
  const StateSource source = {.all = all, .basis = basis.map(), .size = 1e-6, .seed = 1};
  const auto statics = static_states(source, 32, {}), lifted = lifted_states(source, 8, {});
  ASSERT_EQ(statics.size(), 32U);
  for (std::size_t n = 0; n < lifted.size(); ++n) {
    const Eigen::VectorXd &load = statics[4 * n + 3], &lift = lifted[n];
    EXPECT_LT(std::abs(load.normalized().dot(lift.normalized())), 1 - 1e-6) << n;
  }
}

}  // namespace
}  // namespace quartic
