// A process that has used threads forks: the child's batches and loops get threads of their own, and the same bits.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/batch_states.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

// How a process ends that does this: 0 where `work` is true, 1 where not, -14 where it hangs.
int exit_code_in_child(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    try {
      _exit(work() ? 0 : 1);
    } catch (...) {
      _exit(2);
    }
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

constexpr std::int64_t bodies = 100;  // tiles enough for all threads

Batch<double> sample_batch(int threads) {
  Batch<double> batch(random_squares(5, 3).energy(), {.bodies = bodies, .rayleigh_mass = 0.3, .threads = threads});
  for (std::int64_t body = 0; body < bodies; ++body) set_random_body(batch, body, static_cast<unsigned>(body));
  return batch;
}

std::vector<double> step(Batch<double>& batch) {
  batch.step(0.05, 5);
  std::vector<double> states;
  for (std::int64_t body = 0; body < bodies; ++body)
    for (const double value : full_state(batch, body)) states.push_back(value);
  return states;
}

// What one thread computes in the first and in the second frame.
struct Expected {
  std::vector<double> first, second;

  Expected() {
    Batch<double> batch = sample_batch(1);
    first = step(batch);
    second = step(batch);
  }
};

class ForkTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, ForkTest, testing::Values(2, 5));

TEST_P(ForkTest, ChildGoesOnWithItsBatch) {
  const Expected expected;
  Batch<double> batch = sample_batch(GetParam());
  EXPECT_EQ(step(batch), expected.first);
  EXPECT_EQ(exit_code_in_child([&] { return step(batch) == expected.second; }), 0);
  EXPECT_EQ(exit_code_in_child([&] { return step(batch) == expected.second; }), 0);
  EXPECT_EQ(step(batch), expected.second);  // the parent still has its threads
}

TEST_P(ForkTest, ChildMakesBatches) {
  const Expected expected;
  Batch<double> parents = sample_batch(GetParam());
  EXPECT_EQ(step(parents), expected.first);
  EXPECT_EQ(exit_code_in_child([&] {
              Batch<double> batch = sample_batch(GetParam());
              return step(batch) == expected.first && step(batch) == expected.second;
            }),
            0);
}

TEST_P(ForkTest, ChildrenForkToo) {
  const Expected expected;
  Batch<double> batch = sample_batch(GetParam());
  EXPECT_EQ(exit_code_in_child([&] {
              if (step(batch) != expected.first) return false;
              return exit_code_in_child([&] { return step(batch) == expected.second; }) == 0;
            }),
            0);
  EXPECT_EQ(exit_code_in_child([&] {  // without a step in between
              return exit_code_in_child([&] { return step(batch) == expected.first; }) == 0;
            }),
            0);
}

TEST_P(ForkTest, ChildDestroysBatches) {
  std::optional<Batch<double>> stepped = sample_batch(GetParam()), fresh = sample_batch(GetParam());
  static_cast<void>(step(*stepped));
  EXPECT_EQ(exit_code_in_child([&] {
              stepped.reset();
              fresh.reset();
              return true;
            }),
            0);
}

// Forks right after a loop, when its threads may still be on their way to sleep with the lock in their hands, and while
// another thread is within a loop of its own.
TEST_P(ForkTest, ForksAtAnyMoment) {
  const Expected expected;
  std::atomic<bool> stop = false;
  Batch<double> others = sample_batch(GetParam());
  std::thread other([&] {
    while (!stop) others.step(0.01);
  });
  int exit_code = 0;
  for (int round = 0; round < 50 && exit_code == 0; ++round) {
    Batch<double> batch = sample_batch(GetParam());
    batch.step(0.05, 5);
    exit_code = exit_code_in_child([&] { return step(batch) == expected.second; });
  }
  EXPECT_EQ(exit_code, 0);
  stop = true;
  other.join();
}

// The pool that precomputation shares, and BLAS.
TEST(ForkedPrecomputation, GivesTheSameBits) {
  const ProceduralMesh beam = make_box({.length = 1, .width = 0.1, .height = 0.1, .cells_x = 20});
  const auto coefficients = [&] {
    return reduce(beam.mesh, beam.fixed_vertices, {.modes = 4, .rank = 6}).energy.coefficients;
  };
  const std::vector<double> expected = coefficients();
  EXPECT_EQ(exit_code_in_child([&] { return coefficients() == expected; }), 0);
  EXPECT_EQ(coefficients(), expected);
}

}  // namespace
}  // namespace quartic
