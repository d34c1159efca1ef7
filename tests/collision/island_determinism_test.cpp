// A body's bits follow from the bodies of its islands alone.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "collision/colliding_blocks.hpp"
#include "quartic/checkpoint.hpp"
#include "support/files.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Vector3d;

/// Bodies by their ids: those of even ones are soft.
struct Body {
  std::int32_t id;
  Vector3d at;
  std::int32_t environment = 0;
};

/// A heap, three by three at the bottom.
std::vector<Body> heap() {
  std::vector<Body> bodies;
  const std::vector<double> noise = random_numbers(60, 5);
  for (std::int32_t n = 0; n < 12; ++n) {
    const auto i = static_cast<std::size_t>(3 * n);
    bodies.push_back({n, Vector3d(0.55 * (n % 2) + 0.1 * noise[i], 0.4 * (n / 2 % 2) + 0.1 * noise[i + 1],
                                  0.2 + 0.4 * (n / 4) + 0.02 * noise[i + 2])});
  }
  return bodies;
}

struct Way {
  int threads = 1;
  bool all_pairs = false;
  std::filesystem::path checkpoint = {};  ///< half way; empty: none
};

template <class T>
using States = std::map<std::int32_t, std::vector<T>>;

/// On the ground, the soft ones first.
template <class T>
World<T> world_of(std::vector<Body>& bodies, const Way& way) {
  std::ranges::stable_partition(bodies, [](const Body& body) { return body.id % 2 == 0; });
  CollisionOptions options{.sweeps = 12, .tests_all_pairs = way.all_pairs};
  std::int64_t soft = 0;
  for (const Body& body : bodies) {
    options.ids.push_back(body.id);
    options.environments.push_back(body.environment);
    soft += body.id % 2 == 0 ? 1 : 0;
  }
  BatchOptions batch_options = backward_euler;
  batch_options.threads = way.threads;
  World<T> world = colliding_world<T>({{&soft_blocks(), soft}, {&blocks(), std::ssize(bodies) - soft}}, batch_options,
                                      {.stiffness = 1e6, .dissipation = 0.5, .friction = 0.4}, options);
  world.colliders() = {Collider{Shape{PlaneShape{}}}};
  for (std::int64_t b = 0; b < std::ssize(bodies); ++b) {
    const Body& body = bodies[static_cast<std::size_t>(b)];
    place(world, b, body.at);
    world.batch().twist()(3, b) = static_cast<T>(0.1 * body.id);
  }
  add_gravity(world.batch(), {0, 0, -gravity});
  return world;
}

template <class T>
States<T> states_of(const Batch<T>& batch, const std::vector<Body>& bodies) {
  States<T> states;
  for (std::int64_t b = 0; b < std::ssize(bodies); ++b) {
    std::vector<T>& state = states[bodies[static_cast<std::size_t>(b)].id];
    const std::int64_t rank = b < batch.group(0).bodies ? soft_block().rank() : flying_block().rank();
    for (std::int64_t j = 0; j < rank; ++j)
      state.insert(state.end(), {batch.q()(j, b), batch.velocity()(j, b), batch.acceleration()(j, b)});
    for (std::int64_t j = 0; j < 7; ++j) state.push_back(batch.pose()(j, b));
    for (std::int64_t j = 0; j < 6; ++j) state.push_back(batch.twist()(j, b));
  }
  return states;
}

/// Their states after a fall onto the ground, by id. @param touched contacts between bodies in all steps
template <class T>
States<T> fallen(std::vector<Body> bodies, const Way& way, std::int64_t* touched = nullptr) {
  World<T> world = world_of<T>(bodies, way);
  for (int n = 0; n < 60; ++n) {
    if (n == 30 && !way.checkpoint.empty()) {
      save_checkpoint(world, way.checkpoint);
      World<T> next = world_of<T>(bodies, way);
      EXPECT_TRUE(load_checkpoint(next, way.checkpoint).empty());
      EXPECT_EQ(load_checkpoint(next.batch(), way.checkpoint).size(), 1U) << "says what a batch alone doesn't take";
      world = std::move(next);
    }
    world.step(5e-3);
    if (touched != nullptr) *touched += std::ssize(body_contacts(world));
  }
  return states_of(std::as_const(world).batch(), bodies);
}

template <class T>
void expect_same_bits(const States<T>& all, const States<T>& expected, const char* what) {
  std::int64_t different = 0;
  for (const auto& [id, state] : expected) {
    const std::vector<T>& other = all.at(id);
    ASSERT_EQ(other.size(), state.size());
    for (std::size_t k = 0; k < state.size(); ++k)
      different += std::memcmp(&state[k], &other[k], sizeof(T)) != 0 ? 1 : 0;
  }
  EXPECT_EQ(different, 0) << what;
}

template <class T>
class IslandDeterminismTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(IslandDeterminismTest, Precisions);

TYPED_TEST(IslandDeterminismTest, NothingElseMatters) {
  const std::vector<Body> bodies = heap();
  std::int64_t touched = 0;
  const auto expected = fallen<TypeParam>(bodies, {}, &touched);
  EXPECT_GT(touched, 3000);
  expect_same_bits(fallen<TypeParam>(bodies, {}), expected, "once more");
  const TemporaryFolder folder;
  expect_same_bits(fallen<TypeParam>(bodies, {.checkpoint = folder / "heap.qstate"}), expected, "from a checkpoint");
  expect_same_bits(fallen<TypeParam>(bodies, {.threads = 7}), expected, "seven threads");
  expect_same_bits(fallen<TypeParam>(bodies, {.all_pairs = true}), expected, "all pairs");
  std::vector<Body> turned(bodies.rbegin(), bodies.rend());
  std::swap(turned[1], turned[7]);
  expect_same_bits(fallen<TypeParam>(turned, {}), expected, "other places in the batch");

  std::vector<Body> more = heap();  // the same heap in another environment, and bodies far away
  for (Body& body : more) body.environment = 1;
  for (std::int32_t n = 0; n < 12; ++n) more[static_cast<std::size_t>(n)].id = 200 + n;
  for (std::int32_t n = 0; n < 20; ++n) more.push_back({-1 - n, Vector3d(30.0 + n, 5, 1)});
  more.insert(more.begin() + 5, bodies.begin(), bodies.end());
  expect_same_bits(fallen<TypeParam>(more, {.threads = 3}), expected, "strangers");
}

}  // namespace
}  // namespace quartic
