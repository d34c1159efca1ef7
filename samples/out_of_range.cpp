// Beams that stand on end under more and more weight: which have left what their model can mean, and since when.
//
// build:    g++ -std=c++20 out_of_range.cpp -I/usr/include/eigen3 -lquartic -o out_of_range
// run:      ./out_of_range
// prints:
//   ... points of elements are looked at
//      50 times its weight: in range
//     200 times its weight: in range
//     800 times its weight: strained too much from 0.010 s on
//    3200 times its weight: strained too much from 0.005 s on, inside out from 0.025 s on
//   12800 times its weight: strained too much from 0.005 s on, inside out from 0.005 s on
#include <cstdio>
#include <quartic/quartic.hpp>
#include <utility>
#include <vector>

int main() {
  const auto [mesh, fixed_vertices] = quartic::make_beam();
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed_vertices, {.modes = 6, .rank = 12});

  // The corners of elements that are inverted or strained first, chosen once per model.
  constexpr int bodies = 5;
  std::vector<quartic::BodyGroup> groups(1);
  groups[0].energy = model.energy;
  groups[0].bodies = bodies;
  groups[0].range = quartic::model_range(model);
  std::printf("%d points of elements are looked at\n", static_cast<int>(groups[0].range.points()));

  // The first beam carries 50 times its weight, the others four times as much each.
  quartic::Batch<double> batch(std::move(groups), {.rayleigh_mass = 2});
  const double weights[bodies] = {50, 200, 800, 3200, 12800};
  for (int body = 0; body < bodies; ++body)
    for (int mode = 0; mode < batch.rank(); ++mode)
      batch.force()(mode, body) = -9.81 * weights[body] * model.unit_acceleration(mode, 0);

  std::vector<double> strained(bodies, -1), inverted(bodies, -1);
  for (int frame = 0; frame < 100; ++frame) {
    batch.step(0.005, 5);
    const auto now = batch.check_range();  // what holds now; batch.flags() keeps it
    for (std::size_t body = 0; body < bodies; ++body) {
      if (has_any(now[body], quartic::BodyFlags::strained) && strained[body] < 0) strained[body] = batch.time();
      if (has_any(now[body], quartic::BodyFlags::inverted) && inverted[body] < 0) inverted[body] = batch.time();
    }
  }
  for (std::size_t body = 0; body < bodies; ++body) {
    std::printf("%5.0f times its weight: ", weights[body]);
    if (!has_any(batch.flags()[body], quartic::out_of_range)) std::printf("in range\n");
    if (strained[body] >= 0) std::printf("strained too much from %.3f s on", strained[body]);
    if (inverted[body] >= 0) std::printf(", inside out from %.3f s on", inverted[body]);
    if (strained[body] >= 0 || inverted[body] >= 0) std::printf("\n");
  }
}
