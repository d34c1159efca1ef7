// What a capability adds to K before the factor, in the systems of CUDA's steps: the same bits as where it is a part of
// K from the start, also for bodies whose matrix needs a shift.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "cuda/base/runtime.hpp"
#include "cuda/base/shared_memory.cuh"
#include "cuda/batch/steps/body_system.cuh"
#include "cuda/batch/steps/system.cuh"
#include "support/support.hpp"

namespace quartic::cuda {
namespace {

constexpr int rank = 6, bodies = warp_size, system_warps = 2;
constexpr int indefinite_body = 5;

template <class T>
struct Problem {
  std::vector<T> k;       // [row of H][tile_bodies]
  std::vector<T> result;  // (rank, bodies), then whether the system needed a shift
  T added = 0;            // to each entry of K, by an update

  Problem() : k(static_cast<std::size_t>(stiffness_rows(rank) * tile_bodies)), result((rank + 1) * bodies) {
    const auto numbers = test::random_numbers(k.size(), 7);
    for (std::size_t n = 0; n < k.size(); ++n) k[n] = static_cast<T>(0.25 * numbers[n]);
    for (int i = 0; i < rank; ++i)
      for (int b = 0; b < bodies; ++b) k[diagonal(i, b)] += b == indefinite_body && i == 2 ? T{-4} : T{4};
  }
  static std::size_t diagonal(int i, int body) {
    return static_cast<std::size_t>(stiffness_row(i, i) * tile_bodies + body);
  }
};

template <class T>
struct AddToAll {
  T value;

  __device__ void operator()(System<T, true>& system) const {
    for (int i = system.warp(); i < rank; i += system.warps())
      for (int j = 0; j <= i; ++j) system.add(i, j, value);
    __syncthreads();
  }
};

// A lane per body, as in step_kernels.cuh.
template <class T>
void solve_tile(const T* k, T added, T* result) {
  using S = System<T, true>;
  T* shared = reinterpret_cast<T*>(shared_memory());
  T *b = S::vector(shared, rank, 0), *y = S::vector(shared, rank, 1), *x = S::vector(shared, rank, 2);
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  const int padded = block_count(rank) * block_size;
  S system(rank, shared + step_vectors * padded * warp_size + lane, warp, system_warps);
  for (int i = warp; i < padded; i += system_warps) b[i * warp_size] = i < rank ? static_cast<T>(i + 1) : T{0};
  const StiffnessRows<T> stiffness{k + lane, 1, nullptr, 0};
  const auto load = [&] { system.load(stiffness); };
  load();
  const SystemTerms<T> terms = {{T{1}, T{0.5}}, T{0}};
  const SolveResult solved = solve(system, load, terms, true, b, y, x, AddToAll<T>{added});
  if (warp != 0) return;
  for (int i = 0; i < rank; ++i) result[i * bodies + lane] = x[i * warp_size];
  result[rank * bodies + lane] = solved.regularised ? T{1} : T{0};
}

/// The entries of one body, and what a capability adds.
template <class T>
struct UpdatedStiffness {
  const T* k;
  T added;
  [[nodiscard]] T entry(int i, int j) const { return k[stiffness_row(i, j) * tile_bodies] + added; }
};

// A block per body, as in the latency kernel.
template <class T>
void solve_body(const T* k, T added, T* result) {
  T* shared = reinterpret_cast<T*>(shared_memory());
  const int thread = static_cast<int>(threadIdx.x), body = static_cast<int>(blockIdx.x);
  T *b = shared, *x = shared + rank;
  if (thread < rank) b[thread] = static_cast<T>(thread + 1);
  __syncthreads();
  BodySystem<T> system(rank, shared + 2 * rank);
  const BodySolveResult solved =
      solve(system, UpdatedStiffness<T>{k + body, added}, SystemScales<T>{T{1}, T{0.5}}, b, x);
  if (thread < rank) result[thread * bodies + body] = x[thread];
  if (thread == 0) result[rank * bodies + body] = solved.regularised ? T{1} : T{0};
}

template <class T>
std::vector<T> run(Problem<T>& problem, bool by_tile) {
  if (by_tile)
    launch(solve_tile<T>, {dim3(1), dim3(system_warps * warp_size), step_shared_bytes<T>(rank, true)}, nullptr,
           problem.k.data(), problem.added, problem.result.data());
  else
    launch(solve_body<T>,
           {dim3(bodies), dim3(2 * warp_size), static_cast<std::size_t>(body_system_size(rank) + 2 * rank) * sizeof(T)},
           nullptr, problem.k.data(), problem.added, problem.result.data());
  check(cudaStreamSynchronize(nullptr), "wait");
  return problem.result;
}

template <class T>
class StiffnessUpdateOnHostTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(StiffnessUpdateOnHostTest, Precisions);

TYPED_TEST(StiffnessUpdateOnHostTest, EntersTheSystemAsAPartOfKWould) {
  for (const bool by_tile : {true, false}) {
    Problem<TypeParam> problem, whole, without;
    problem.added = TypeParam{0.125};
    for (TypeParam& entry : whole.k) entry += problem.added;
    const auto updated = run(problem, by_tile);
    EXPECT_EQ(updated, run(whole, by_tile));
    EXPECT_NE(updated, run(without, by_tile));
    for (int body = 0; body < bodies; ++body)
      EXPECT_EQ(updated[rank * bodies + body], body == indefinite_body ? 1 : 0) << "shift of body " << body;
  }
}

}  // namespace
}  // namespace quartic::cuda
