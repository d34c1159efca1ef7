// A ball in a hand that presses on a bridge at 1 kHz, along a scripted path, and what the hand feels.
// haptic_bridge.svg has the force over time, and how long steps took.
//
// build:    g++ -std=c++20 haptic_bridge.cpp -I/usr/include/eigen3 -lquartic -pthread -o haptic_bridge
// run:      ./haptic_bridge
// prints:
//   a bridge of 15 coordinates, ... points; passive up to 1600 N/m with this device
//   over the deck: 0.0 N. 2 cm below it: more than 10 N upwards, as the contacts on the ball
//   99.9% of ... steps within ... ms, ... later than the next was due
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <quartic/quartic.hpp>
#include <thread>
#include <vector>

int main() {
  const auto [mesh, fixed] = quartic::make_bridge(60);
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed, {.modes = 5, .rank = 15});
  const auto tree = std::make_shared<quartic::BoundTree>(quartic::bound_tree(model, {.spacing = 0.15}));
  const quartic::HapticOptions options{.radius = 0.3, .stiffness = 1000, .damping = 0.2, .device_damping = 1};
  std::printf("a bridge of %d coordinates, %lld points; passive up to %.0f N/m with this device\n", tree->rank,
              static_cast<long long>(tree->points.count()),
              quartic::largest_passive_stiffness(options.device_damping, options.damping, options.period));
  const auto world = std::make_shared<quartic::World<double>>(
      quartic::Batch<double>(
          model.energy,
          {.integrator = quartic::Integrator::backward_euler, .rayleigh_mass = 2, .rayleigh_stiffness = 1e-3}),
      std::vector<std::shared_ptr<const quartic::BoundTree>>{tree}, quartic::ContactOptions{.stiffness = 1e6});
  std::array<double, 3> top = {8, 1.2, 0};  // of the deck, in the middle of its 16 m x 2.4 m
  for (std::size_t p = 0; p < tree->points.positions.size(); p += 3) {
    const double* x = tree->points.positions.data() + p;
    if (std::hypot(x[0] - top[0], x[1] - top[1]) < 0.5) top[2] = std::max(top[2], x[2]);
  }
  const auto path = [&](double t) {  // down within a second, and to and fro
    const double depth = 0.02 * std::clamp(t - 0.2, 0.0, 1.0) - 0.01 * std::max(0.2 - t, 0.0);
    return std::array{top[0], top[1] + 0.1 * std::sin(3 * t), top[2] + options.radius - depth};
  };
  const auto ball = std::make_shared<quartic::HapticBall<double>>(world, options, path(0));
  std::vector<double> forces;  // every 10 ms
  quartic::HapticTiming timing;
  {
    quartic::HapticLoop loop(ball);
    for (auto due = std::chrono::steady_clock::now(); forces.size() < 300; due += std::chrono::milliseconds(10)) {
      std::this_thread::sleep_until(due);
      loop.set_device(path(0.01 * static_cast<double>(forces.size())));
      forces.push_back(loop.sample().force[2]);
    }
    loop.stop();
    timing = loop.timing();
  }
  for (int n = 0; n < 500; ++n) ball->step(path(3));  // the loop has given the ball back
  const quartic::HapticSample& last = ball->sample();
  const bool alike = std::abs(last.force[2] - last.contact_force[2]) < 0.01 * last.force[2];
  std::printf("over the deck: %.1f N. 2 cm below it: %s upwards, %s the contacts on the ball\n", std::abs(forces[15]),
              last.force[2] > 10 ? "more than 10 N" : "not enough", alike ? "as" : "other than");
  std::printf("99.9%% of %lld steps within %.2f ms, %lld later than the next was due\n",
              static_cast<long long>(timing.steps), 1e3 * timing.quantile(0.999),
              static_cast<long long>(timing.missed));
  std::FILE* file = std::fopen("haptic_bridge.svg", "w");
  if (file == nullptr) return 1;
  std::fprintf(
      file,
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 700 260' font-size='13'>\n"
      "<text x='20' y='20'>upward force on the hand, 3 s, up to 20 N</text><path fill='none' stroke='#247' d='");
  for (std::size_t n = 0; n < forces.size(); ++n)
    std::fprintf(file, "%s%.1f %.1f", n == 0 ? "M" : "L", 20 + static_cast<double>(n), 240 - 10 * forces[n]);
  std::fprintf(file, "'/><text x='380' y='20'>steps by time, 0 to 1 ms (logarithmic)</text>\n");
  for (std::size_t n = 0; n < 100; ++n) {
    const double height = 50 * std::log10(1 + static_cast<double>(timing.counts[n]));
    std::fprintf(file, "<rect x='%zu' y='%.1f' width='3' height='%.1f' fill='#59c'/>\n", 380 + 3 * n, 240 - height,
                 height);
  }
  std::fprintf(file, "</svg>\n");
  std::fclose(file);
}
