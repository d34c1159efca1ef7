// Soft blocks rain on the ground and on a ball that lies there, all on a GPU. What gravity gives them of momentum, the
// contacts take.
//
// build: g++ -std=c++20 rain_cuda.cpp -lquartic -lquartic_cuda -lcudart
// run:   ./rain_cuda
//
// prints:
//   0.2 s:  9 of 16 bodies touch, in 341 points; contacts bear 145 % of the weight
//   0.4 s: 16 of 16 bodies touch, in 709 points; contacts bear 116 % of the weight
//   0.6 s: 16 of 16 bodies touch, in 750 points; contacts bear 101 % of the weight
//   momentum: -1695 N s from gravity, 1698 from contacts, 3 left
#include <cstdio>
#include <quartic/cuda.hpp>
#include <quartic/quartic.hpp>

constexpr int across = 4, bodies = across * across;

// Of all bodies, along the vertical.
double sum_of(std::span<const double> rows) {
  double sum = 0;
  for (std::size_t n = 2; n < rows.size(); n += 6) sum += rows[n];
  return sum;
}

int main() {
  if (!quartic::backend_available(quartic::Backend::cuda)) {
    std::puts("no CUDA device here");
    return 0;
  }
  const auto box = quartic::make_box({.length = 0.3,
                                      .width = 0.3,
                                      .height = 0.2,
                                      .cells_x = 2,
                                      .cells_y = 2,
                                      .material = {.youngs_modulus = 5e4, .poissons_ratio = 0.4, .density = 1000}});
  const quartic::ReducedModel model = quartic::reduce(box.mesh, {}, {.modes = 4, .rank = 6});
  std::vector<quartic::BodyGroup> groups(1);
  groups[0].energy = model.energy;
  groups[0].bodies = bodies;
  groups[0].frame = quartic::free_frame(model);
  const double weight = 9.81 * bodies * groups[0].frame->mass;
  quartic::Batch<float> batch(groups, {.integrator = quartic::Integrator::backward_euler,
                                       .rayleigh_stiffness = 5e-3,
                                       .backend = quartic::Backend::cuda});
  const auto tree = std::make_shared<quartic::BoundTree>(quartic::bound_tree(model, {.spacing = 0.1}));
  quartic::World<float> world(std::move(batch), {tree}, {.stiffness = 1e6, .dissipation = 0.5});
  world.colliders() = {quartic::Collider{quartic::Shape{quartic::PlaneShape{}}},
                       quartic::Collider{quartic::Shape{quartic::SphereShape{0.2}}}};
  for (int b = 0; b < bodies; ++b) {  // on a grid, the later the higher
    world.batch().pose()(0, b) = 0.5F * static_cast<float>(b % across) - 0.75F;
    world.batch().pose()(1, b) = 0.5F * static_cast<float>(b / across) - 0.75F;
    world.batch().pose()(2, b) = 0.15F + 0.02F * static_cast<float>(b);
  }
  quartic::add_gravity(world.batch(), {0, 0, -9.81});

  double taken = 0;
  for (int n = 1; n <= 3; ++n) {
    world.step(0.2, 20);  // one graph, from the second time on
    taken += sum_of(world.contact_impulse());
    int touching = 0;
    for (int b = 0; b < bodies; ++b) touching += world.contact_wrench()[6 * b + 2] > 0 ? 1 : 0;
    std::printf("%.1f s: %2d of %d bodies touch, in %3zu points; contacts bear %3.0f %% of the weight\n", 0.2 * n,
                touching, bodies, world.contacts().size(), 100 * sum_of(world.contact_wrench()) / weight);
  }
  double momentum = 0;
  for (int b = 0; b < bodies; ++b) momentum += groups[0].frame->mass * double{world.batch().twist()(2, b)};
  std::printf("momentum: %.0f N s from gravity, %.0f from contacts, %.0f left\n", -0.6 * weight, taken, momentum);
}
