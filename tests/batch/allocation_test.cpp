// What is repeated thousands of times allocates nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/fem.hpp"
#include "quartic/procedural.hpp"

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
      batch.q()(0, 7) = INFINITY;  // one that diverges
      for (int body = 0; body < 43; ++body) batch.force()(1, body) = 1;
      const long before = allocations;
      batch.step(0.01, 3);
      batch.reset_status();
      batch.step(0.01, 3);
      EXPECT_EQ(allocations, before);
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
