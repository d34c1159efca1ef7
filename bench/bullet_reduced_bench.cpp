// Free flight beside the reduced deformable bodies of Bullet (Debian: libbullet-dev), in the same run: the same mesh of
// a thousand vertices, the same 20 linear modes, the same steps, one thread. Bullet's energy is linear and its step
// explicit; ours is the quartic energy by Newmark, with as many iterations as the case says. Counter "ratio": Bullet's
// processor time per body and step over ours. `free_spin` tells how far angular momentum goes astray in two seconds, as
// a share of itself.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "bullet_world.hpp"
#include "quartic/batch.hpp"
#include "quartic/procedural.hpp"

namespace quartic::bench {
namespace {

constexpr double dt = 1.0 / 240;
constexpr int modes = 20;

const ReducedModel& block() {
  static const ReducedModel model =
      reduce(make_box({.length = 2,
                       .width = 1,
                       .height = 1,
                       .cells_x = 15,
                       .cells_y = 7,
                       .cells_z = 7,
                       .type = ElementType::tet4,
                       .material = {.youngs_modulus = 5e4, .poissons_ratio = 0.3, .density = 100}})
                 .mesh,
             {}, {.modes = modes, .rank = modes, .derivatives = false, .mass_matrix = MassMatrix::lumped});
  return model;
}

BulletWorld& bullet(int bodies) {
  static const std::filesystem::path folder = [] {
    const auto path = std::filesystem::temp_directory_path() / "quartic_bullet_reduced_bench";
    write_bullet_files(block(), path);
    return path;
  }();
  static BulletWorld one(folder, modes, 1, {3, btScalar(0.9), btScalar(0.6)});
  static BulletWorld nine(folder, modes, 9, {3, btScalar(0.9), btScalar(0.6)});
  return bodies == 1 ? one : nine;
}

template <class T>
Batch<T> spinning(std::int64_t bodies, Evaluation evaluation, int iterations) {
  std::vector<BodyGroup> groups(1);
  groups[0].energy = block().energy;
  groups[0].bodies = bodies;
  groups[0].frame = free_frame(block());
  Batch<T> batch(std::move(groups), {.newton_iterations = iterations, .threads = 1, .evaluation = evaluation});
  for (std::int64_t b = 0; b < bodies; ++b) {
    batch.twist()(3, b) = 3;
    batch.twist()(4, b) = static_cast<T>(0.9);
    batch.twist()(5, b) = static_cast<T>(0.6);
  }
  return batch;
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Processor time of a step of each, the best of blocks of them in turns: other work on the machine counts less.
template <class First, class Second>
std::pair<double, double> compare(const First& first, const Second& second) {
  constexpr int blocks = 10, steps = 20;
  const auto seconds = [](const auto& step) {
    const double begin = processor_seconds();
    for (int n = 0; n < steps; ++n) step();
    return (processor_seconds() - begin) / steps;
  };
  std::pair best(std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
  for (int block = 0; block < blocks; ++block) {
    best.first = std::min(best.first, seconds(first));
    best.second = std::min(best.second, seconds(second));
  }
  return best;
}

void one_body(benchmark::State& state) {
  Batch<double> batch = spinning<double>(1, Evaluation::latency, static_cast<int>(state.range(0)));
  BulletWorld& world = bullet(1);
  const auto [theirs, ours] = compare([&] { world.step(dt); }, [&] { batch.step(dt); });
  for (auto _ : state) batch.step(dt);
  state.counters["ratio"] = theirs / ours;
  state.counters["bullet_us"] = 1e6 * theirs;
}
BENCHMARK(one_body)->ArgName("iterations")->Arg(1)->Arg(2);

template <class T>
void many_bodies(benchmark::State& state) {
  constexpr std::int64_t bodies = 1024;
  Batch<T> batch = spinning<T>(bodies, Evaluation::strict, static_cast<int>(state.range(0)));
  BulletWorld& world = bullet(9);
  const auto [theirs, ours] = compare([&] { world.step(dt); }, [&] { batch.step(dt); });
  for (auto _ : state) batch.step(dt);
  state.counters["ratio"] = theirs / 9 / (ours / bodies);
  state.counters["bullet_us"] = 1e6 * theirs / 9;
}
BENCHMARK(many_bodies<float>)->ArgName("iterations")->Arg(1)->Arg(2);
BENCHMARK(many_bodies<double>)->ArgName("iterations")->Arg(1)->Arg(2);

void free_spin(benchmark::State& state) {
  Batch<double> batch = spinning<double>(1, Evaluation::latency, 2);
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "quartic_bullet_reduced_bench";
  write_bullet_files(block(), folder);
  BulletWorld world(folder, modes, 1, {3, btScalar(0.9), btScalar(0.6)});
  const std::vector<double> start = batch.angular_momentum();
  static_cast<void>(world.angular_momentum(dt));
  btVector3 first;
  double theirs = 0, ours = 0;
  for (int n = 0; n < 480; ++n) {
    world.step(dt);
    batch.step(dt);
    const btVector3 momentum = world.angular_momentum(dt);
    if (n == 0) first = momentum;
    theirs = std::max(theirs, static_cast<double>((momentum - first).length() / first.length()));
    const std::vector<double> now = batch.angular_momentum();
    ours = std::max(ours, std::hypot(now[0] - start[0], now[1] - start[1], now[2] - start[2]) /
                              std::hypot(start[0], start[1], start[2]));
  }
  for (auto _ : state) benchmark::DoNotOptimize(theirs);
  state.counters["momentum_error"] = ours;
  state.counters["momentum_error_bullet"] = theirs;
}
BENCHMARK(free_spin)->Iterations(1);

}  // namespace
}  // namespace quartic::bench

BENCHMARK_MAIN();
