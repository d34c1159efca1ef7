// Twelve soft blocks that are thrown at each other in space: what friction and deformation do to their momenta.
//
// build:    g++ -std=c++20 momentum_check.cpp -I/usr/include/eigen3 -lquartic -o momentum_check
// run:      ./momentum_check
// prints:
//   thousands of contacts, islands of up to 12 bodies
//   momenta as before, to round-off
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <quartic/quartic.hpp>
#include <utility>
#include <vector>

// Linear momentum of all bodies [kg m/s], and angular about the world's origin [kg m^2/s].
std::array<double, 6> momentum(const quartic::Batch<double>& batch) {
  const std::vector<double> p = batch.linear_momentum(), l = batch.angular_momentum();
  std::array<double, 6> sum{};
  for (std::size_t b = 0; b < p.size() / 3; ++b)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      const auto at = [&](std::size_t axis) {
        return batch.pose()(static_cast<std::int64_t>(axis), static_cast<std::int64_t>(b));
      };
      sum[k] += p[3 * b + k];
      sum[3 + k] += l[3 * b + k] + at(i) * p[3 * b + j] - at(j) * p[3 * b + i];
    }
  return sum;
}

int main() {
  // 0.3 x 0.2 x 0.15 m and 9 kg of rubber, free to fly.
  quartic::BoxOptions box{.length = 0.3, .width = 0.2, .height = 0.15, .cells_x = 4, .cells_y = 3, .cells_z = 2};
  box.material = {.youngs_modulus = 2e5, .poissons_ratio = 0.4, .density = 1000};
  const quartic::ReducedModel model = quartic::reduce(quartic::make_box(box).mesh, {}, {.modes = 6, .rank = 12});
  const auto tree = std::make_shared<quartic::BoundTree>(quartic::bound_tree(model));
  std::vector<quartic::BodyGroup> groups(1);
  groups[0].energy = model.energy;
  groups[0].bodies = 12;
  groups[0].frame = quartic::free_frame(model);
  quartic::World<double> world(
      quartic::Batch<double>(groups, {.integrator = quartic::Integrator::backward_euler, .rayleigh_stiffness = 1e-3}),
      {tree}, {.stiffness = 1e7, .friction = 0.5});
  quartic::let_collide(world, {std::make_shared<quartic::CollisionSurface>(model, tree)});
  for (std::int64_t b = 0; b < 12; ++b) {  // from a circle, to its middle, and a bit beside
    const double angle = 0.5236 * static_cast<double>(b);
    world.batch().pose()(0, b) = 0.8 * std::cos(angle), world.batch().pose()(1, b) = 0.8 * std::sin(angle);
    world.batch().twist()(0, b) = -2 * std::cos(angle + 0.1), world.batch().twist()(1, b) = -2 * std::sin(angle + 0.1);
    world.batch().twist()(2, b) = 0.02 * static_cast<double>(b % 3), world.batch().twist()(4, b) = 3;
  }
  const auto before = momentum(world.batch());
  std::size_t contacts = 0;
  double size = 0, change = 0, largest = 0;
  for (int step = 0; step < 300; ++step) {
    world.step(2e-3);
    contacts += quartic::body_contacts(world).size();
    largest = std::fmax(largest, static_cast<double>(quartic::collision_report(world).largest_island));
  }
  const auto after = momentum(world.batch());
  for (std::size_t k = 0; k < 6; ++k) {
    size = std::fmax(size, std::fabs(before[k]));
    change = std::fmax(change, std::fabs(after[k] - before[k]));
  }
  std::printf("%s contacts, islands of up to %.0f bodies\n", contacts > 1000 ? "thousands of" : "few", largest);
  std::printf("momenta %s\n", change < 1e-11 * size ? "as before, to round-off" : "changed");
  return change < 1e-11 * size ? 0 : 1;
}
