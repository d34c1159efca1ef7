// A ball in a hand that presses on a bridge at 1 kHz, along a scripted path, and what the hand feels.
// haptic_bridge.svg has the force over time, and how long steps took.
//
// build:    g++ -std=c++20 haptic_bridge.cpp -I/usr/include/eigen3 -lquartic -pthread -o haptic_bridge
// run:      ./haptic_bridge
// prints:
//   a bridge of 15 coordinates, ... points
//   passive up to 1600 N/m with this device
//   in the air 0.0 N, pressing 2 cm: ... N, at least half of what the spring alone gives
//   99.9% of ... steps within ... ms, ... later than the next was due
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <quartic/quartic.hpp>
#include <thread>
#include <utility>
#include <vector>

int main() {
  const auto [mesh, fixed] = quartic::make_bridge(60);
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed, {.modes = 5, .rank = 15});
  const auto tree = std::make_shared<quartic::BoundTree>(quartic::bound_tree(model));
  std::printf("a bridge of %d coordinates, %lld points\n", tree->rank, static_cast<long long>(tree->points.count()));
  const quartic::HapticOptions options{.radius = 0.3, .stiffness = 1000, .damping = 0.2, .device_damping = 1};
  std::printf("passive up to %.0f N/m with this device\n",
              quartic::largest_passive_stiffness(options.device_damping, options.damping, options.period));
  const auto world = std::make_shared<quartic::World<double>>(
      quartic::Batch<double>(
          model.energy,
          {.integrator = quartic::Integrator::backward_euler, .rayleigh_mass = 2, .rayleigh_stiffness = 1e-3}),
      std::vector<std::shared_ptr<const quartic::BoundTree>>{tree}, quartic::ContactOptions{.stiffness = 1e5});
  // Over the point of the deck in the middle of the span.
  std::array<double, 3> top = {0, 0, -1e9}, middle{};
  for (std::int64_t p = 0; p < tree->points.count(); ++p)
    for (std::size_t k = 0; k < 3; ++k)
      middle[k] +=
          tree->points.positions[static_cast<std::size_t>(3 * p) + k] / static_cast<double>(tree->points.count());
  for (std::size_t p = 0; p < tree->points.positions.size(); p += 3) {
    const double* x = tree->points.positions.data() + p;
    if (std::hypot(x[0] - middle[0], x[1] - middle[1]) < 1 && x[2] > top[2]) top = {x[0], x[1], x[2]};
  }
  const auto path = [&](double t) {  // down for a second, then to and fro
    const double depth = 0.02 * std::min(1.0, std::max(0.0, t - 0.2)) - 0.01 * std::max(0.0, 0.2 - t);
    return std::array{top[0], top[1] + 0.1 * std::sin(3 * t), top[2] + options.radius - depth};
  };
  quartic::HapticLoop loop(std::make_shared<quartic::HapticBall<double>>(world, options, path(0)));
  std::vector<double> forces;  // every 10 ms
  for (auto due = std::chrono::steady_clock::now(); forces.size() < 300; due += std::chrono::milliseconds(10)) {
    std::this_thread::sleep_until(due);
    loop.set_device(path(0.01 * static_cast<double>(forces.size())));
    forces.push_back(loop.sample().force[2]);
  }
  loop.stop();
  const quartic::HapticTiming timing = loop.timing();
  std::printf("in the air %.1f N, pressing 2 cm: %.1f N, %s\n", forces[15], forces.back(),
              forces.back() > 10 ? "at least half of what the spring alone gives" : "less than expected");
  std::printf("99.9%% of %lld steps within %.2f ms, %lld later than the next was due\n",
              static_cast<long long>(timing.steps), 1e3 * timing.quantile(0.999),
              static_cast<long long>(timing.missed));
  std::FILE* file = std::fopen("haptic_bridge.svg", "w");
  if (file == nullptr) return 1;
  std::fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 700 260' font-size='13'>\n");
  std::fprintf(file,
               "<text x='20' y='20'>force on the hand, 3 s, up to 20 N</text><path fill='none' stroke='#247' d='");
  for (std::size_t n = 0; n < forces.size(); ++n)
    std::fprintf(file, "%s%.1f %.1f", n == 0 ? "M" : "L", 20 + static_cast<double>(n), 240 - 10 * forces[n]);
  std::fprintf(file, "'/><text x='380' y='20'>steps by time, 0 to 1 ms (logarithmic)</text>\n");
  for (std::size_t n = 0; n < 100; ++n)
    std::fprintf(file, "<rect x='%.0f' y='%.1f' width='3' height='%.1f' fill='#59c'/>\n",
                 380 + 3 * static_cast<double>(n), 240 - 50 * std::log10(1 + static_cast<double>(timing.counts[n])),
                 50 * std::log10(1 + static_cast<double>(timing.counts[n])));
  std::fprintf(file, "</svg>\n");
  std::fclose(file);
}
