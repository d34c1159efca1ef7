// Free flight, and tori that lie on the ground, beside the reduced deformable bodies of Bullet (Debian: libbullet-dev),
// in the same run: the same mesh of a thousand vertices, the same 20 linear modes, the same steps, one thread. Bullet's
// energy is linear and its step explicit; ours is the quartic energy by Newmark, with as many iterations as the case
// says. Counter "ratio": Bullet's processor time per body and step over ours. `free_spin` tells how far angular
// momentum goes astray in two seconds, as a share of itself.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "bullet_world.hpp"
#include "quartic/batch.hpp"
#include "quartic/frame_motion.hpp"
#include "quartic/procedural.hpp"
#include "quartic/world.hpp"

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

// A tube of 1025 vertices around the z axis, radii 1 and 0.25 m: a bar bent until its ends meet.
ProceduralMesh torus() {
  constexpr int around = 41, across = 4;
  ProceduralMesh bar = make_box({.length = around,
                                 .width = across,
                                 .height = across,
                                 .cells_x = around,
                                 .cells_y = across,
                                 .cells_z = across,
                                 .type = ElementType::tet4,
                                 .material = {.youngs_modulus = 5e4, .poissons_ratio = 0.3, .density = 100}});
  VolumeMesh& mesh = bar.mesh;
  std::vector<std::int32_t> number(static_cast<std::size_t>(mesh.vertex_count()));
  std::map<std::array<long, 3>, std::int32_t> places;
  std::vector<double> vertices;
  for (std::size_t v = 0; v < number.size(); ++v) {
    std::array<long, 3> cell;
    for (std::size_t k = 0; k < 3; ++k) cell[k] = std::lround(mesh.vertices[3 * v + k]);
    cell[0] %= around;
    const auto [place, is_new] = places.try_emplace(cell, static_cast<std::int32_t>(places.size()));
    number[v] = place->second;
    if (!is_new) continue;
    const double angle = 2 * std::numbers::pi * static_cast<double>(cell[0]) / around;
    const double y = 0.5 * static_cast<double>(cell[1]) - 1, z = 0.5 * static_cast<double>(cell[2]) - 1;  // a square,
    const double radius = 1 + 0.25 * y * std::sqrt(1 - 0.5 * z * z);                                      // a disk
    for (const double x : {radius * std::cos(angle), radius * std::sin(angle), 0.25 * z * std::sqrt(1 - 0.5 * y * y)})
      vertices.push_back(x);
  }
  mesh.vertices = std::move(vertices);
  for (ElementBlock& block : mesh.blocks)
    for (std::int32_t& v : block.vertices) v = number[static_cast<std::size_t>(v)];
  return bar;
}

// Bullet's ground is y = 0, ours as well.
constexpr double apart = 3;

Batch<double> falling_tori(const ReducedModel& model) {
  std::vector<BodyGroup> groups(1);
  groups[0].energy = model.energy;
  groups[0].bodies = 9;
  groups[0].frame = free_frame(model);
  Batch<double> batch(std::move(groups), {.integrator = Integrator::backward_euler,
                                          .rayleigh_stiffness = 1e-3,
                                          .threads = 1,
                                          .evaluation = Evaluation::latency});
  const double s = std::sqrt(0.5);
  for (std::int64_t b = 0; b < 9; ++b) {  // lying: z of the torus is up
    const double pose[7] = {apart * static_cast<double>(b), 0.5, 0, -s, 0, 0, s};
    for (std::int64_t row = 0; row < 7; ++row) batch.pose()(row, b) = pose[row];
  }
  add_gravity(batch, {0, -10, 0});
  return batch;
}

void lying_tori(benchmark::State& state) {
  const ReducedModel model = reduce(
      torus().mesh, {}, {.modes = modes, .rank = modes, .derivatives = false, .mass_matrix = MassMatrix::lumped});
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "quartic_bullet_torus_bench";
  write_bullet_files(model, folder);
  const auto bullet = BulletWorld::over_ground(folder, modes, 9, 1.2, apart);
  const auto tree = std::make_shared<const BoundTree>(bound_tree(model));
  World<double> world(falling_tori(model), {tree}, {.stiffness = 1e6, .friction = 0.5});
  world.colliders() = {Collider{Shape{PlaneShape{.normal = {0, 1, 0}}}, {0, 0, 0, 0, 0, 0, 1}, {}}};
  for (int n = 0; n < 250; ++n) bullet->step(dt), world.step(dt);
  const auto [theirs, ours] = compare([&] { bullet->step(dt); }, [&] { world.step(dt); });
  for (auto _ : state) world.step(dt);
  state.counters["ratio"] = theirs / ours;
  state.counters["bullet_us"] = 1e6 * theirs / 9;
  state.counters["us"] = 1e6 * ours / 9;
  state.counters["contacts"] = static_cast<double>(world.contacts().size()) / 9;
  state.counters["height"] = std::as_const(world).batch().pose()(1, 0);
  state.counters["height_bullet"] = bullet->height();
}
BENCHMARK(lying_tori);

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
