// Steps with stiff contacts and friction have a solution, and it is found.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "contact/contact_models.hpp"
#include "quartic/world.hpp"
#include "support/free_batches.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Tree = std::shared_ptr<const BoundTree>;

// Blocks of all postures that hit a plane or a ball with up to 3 m/s, spinning: one step, and those that follow.
// h^2 k A / m from 0.01 to 1e4, where A is the block's base.
TEST(ContactConvergenceTest, BlocksThatHitAreSolvedForWhateverTheStiffness) {
  static const Tree tree = std::make_shared<BoundTree>(block_tree());
  constexpr std::int64_t bodies = 200;
  for (const double friction : {0.0, 0.5, 1.5})
    for (const double h : {1e-3, 1e-2})
      for (const double ratio : {0.01, 1.0, 100.0, 1e4}) {
        const double stiffness = ratio * 180 / (h * h * 0.6);
        World<double> world(
            Batch<double>({flying(flying_block(), bodies)},
                          {.integrator = Integrator::backward_euler, .rayleigh_stiffness = 1e-3, .threads = 1}),
            {tree}, {.stiffness = stiffness, .friction = friction});
        world.colliders() = {Collider{Shape{PlaneShape{}}},
                             Collider{Shape{SphereShape{0.3}}, {0, 0, 0.2, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 5}}};
        for (std::int64_t b = 0; b < bodies; ++b) {
          const std::vector<double> n = random_numbers(13, static_cast<unsigned>(b + 1));
          FreeState state;
          state.q = VectorXd::Zero(flying_block().rank());
          state.rate = state.q;
          state.position = {0.5 * n[0], 0.5 * n[1], 0.5 + 0.2 * n[2]};
          state.velocity = {3 * n[3], 3 * n[4], -1.5 + 1.5 * n[5]};
          state.spin = {5 * n[6], 5 * n[7], 5 * n[8]};
          set_state(world.batch(), b, state);
          const Eigen::Vector4d turn = Eigen::Vector4d(n[9], n[10], n[11], n[12]).normalized();
          for (Eigen::Index k = 0; k < 4; ++k) world.batch().pose()(3 + k, b) = turn[k];
        }
        int flagged = 0, steps = 0;
        std::size_t touched = 0;
        for (int n = 0; n < 12; ++n) {
          world.step(h);
          touched += world.contacts().size();
          for (const BodyFlags flags : world.batch().flags()) flagged += flags != BodyFlags::none, ++steps;
          world.batch().reset_flags();
        }
        EXPECT_EQ(flagged, 0) << "of " << steps << ": mu " << friction << " h " << h << " ratio " << ratio;
        EXPECT_GT(touched, 500U);
      }
}

}  // namespace
}  // namespace quartic
