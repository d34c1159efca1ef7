// What is repeated thousands of times allocates nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/fem.hpp"
#include "quartic/frame_motion.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/strain_damping.hpp"
#include "quartic/world.hpp"

namespace {
std::atomic<long> allocations{0};

void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// Not inlined, or GCC takes what `new` gave for something that `free` mustn't have.
[[gnu::noinline]] void release(void* memory) {
  std::free(memory);
}
}  // namespace

// The library's calls come here, too.
void* operator new(std::size_t size) {
  return allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}

namespace quartic {
namespace {

TEST(Allocation, IsCountedInTheLibrary) {
  const long before = allocations;
  const VolumeMesh mesh = make_box({.cells_x = 1, .cells_y = 1, .cells_z = 1}).mesh;
  EXPECT_GT(allocations, before + 3);
}

TEST(Allocation, NoneInSteps) {
  constexpr int rank = 5;
  QuarticEnergy energy{.rank = rank, .coefficients = {}};
  StrainForm form{.rank = rank, .factor = {}};
  for (int a = 0; a <= rank; ++a)
    for (int b = a; b <= rank; ++b)
      for (int c = b; c <= rank; ++c)
        for (int d = c; d <= rank; ++d) energy.coefficients.push_back(a == 0 && b == 0 && c == d && c > 0 ? 2 : 0);
  for (std::int64_t row = 0; row < strain_count(rank); ++row)
    for (std::int64_t column = row; column < strain_count(rank); ++column)
      form.factor.push_back(row == column && row < rank ? 1 : 0);
  for (const Evaluation evaluation : {Evaluation::strict, Evaluation::latency, Evaluation::accurate})
    for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler,
                                        Integrator::central_differences, Integrator::energy_conserving}) {
      Batch<float> batch({{energy, 40, form}, {energy, 3, form}},
                         {.integrator = integrator, .newton_iterations = 3, .threads = 3, .evaluation = evaluation});
      const LoadCurve curve{.times = {0, 1}, .scales = {0, 1}};
      batch.set_load_curves({&curve, 1}, std::vector<std::int32_t>(43, 0));
      set_strain_damping<float>(batch, std::vector<double>(43, 0.01), std::vector{form, form});
      batch.q()(0, 7) = INFINITY;  // one that diverges
      for (int body = 0; body < 43; ++body) batch.force()(1, body) = 1;
      const long before = allocations;
      batch.step(0.01, 3);
      batch.reset_status();
      batch.step(0.01, 3);
      EXPECT_EQ(allocations, before);
    }
}

// Blocks that fall, roll and slide among shapes: once as many points as ever have touched.
TEST(Allocation, NoneInStepsWithContacts) {
  const ProceduralMesh box = make_box({.cells_x = 4, .cells_y = 3, .cells_z = 3});
  const ReducedModel model = reduce(box.mesh, {}, {.modes = 4, .rank = 8});
  const auto tree = std::make_shared<const BoundTree>(bound_tree(model, {.spacing = 0.2}));
  std::vector<BodyGroup> groups(2);
  for (BodyGroup& group : groups) {
    group.energy = model.energy;
    group.bodies = 40;
    group.frame = free_frame(model);
  }
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler, Integrator::energy_conserving}) {
    World<float> world(Batch<float>(groups, {.integrator = integrator, .threads = 3}), {tree, tree},
                       {.stiffness = 1e6});
    const std::vector<Collider> shapes = {
        Collider{Shape{PlaneShape{}}, {0, 0, 0, 0, 0, 0, 1}, {}},
        Collider{Shape{BoxShape{{0.5, 0.5, 0.5}}}, {0, 0, 0.2, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}}};
    add_gravity(world.batch(), {0, 0, -9.81});
    const auto start = [&] {
      world.colliders() = shapes;
      for (std::int64_t b = 0; b < 80; ++b) {
        for (std::int64_t row = 0; row < 8; ++row)
          world.batch().q()(row, b) = world.batch().velocity()(row, b) = world.batch().acceleration()(row, b) = 0;
        const float pose[7] = {0, 0, 1 + 0.02F * static_cast<float>(b), 0, 0.3F, 0, 0.9F};
        for (std::int64_t row = 0; row < 7; ++row) world.batch().pose()(row, b) = pose[row];
        for (std::int64_t row = 0; row < 6; ++row) {
          world.batch().twist()(row, b) = row == 0 ? 1 : row == 2 ? -4 : 0;
          world.batch().twist_rate()(row, b) = 0;
        }
      }
    };
    std::size_t touched = 0;
    const auto run = [&] {
      start();
      for (int n = 0; n < 60; ++n) {
        world.step(0.005);
        touched += world.contacts().size();
      }
    };
    run();
    const long before = allocations;
    run();
    EXPECT_EQ(allocations, before);
    EXPECT_GT(touched, 1000U);
  }
}

TEST(Allocation, NoneInUnreducedForces) {
  const VolumeMesh mesh = make_box({.cells_x = 20, .cells_y = 5, .cells_z = 5, .type = ElementType::tet4}).mesh;
  InternalForces forces(mesh);
  SparseMatrix k = forces.zero_stiffness();
  std::vector<double> u(mesh.vertices.size(), 0.1), r(u.size());
  (void)forces.energy(u);  // starts the threads
  const long before = allocations;
  forces.evaluate(u, r, k);
  forces.force(u, r);
  forces.stiffness(u, k);
  (void)forces.energy(u);
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace quartic
