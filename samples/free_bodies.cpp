// Beams that little or nothing holds: rigid modes, and a free one that is hit at its end and flies.
//
// build:    g++ -std=c++20 free_bodies.cpp -I/usr/include/eigen3 -lquartic -o free_bodies
// run:      ./free_bodies
// prints:
//   held at an end:  0 rigid modes, then 1.33 1.64 8.08 Hz
//   on a hinge:      1 rigid modes, then 1.17 5.57 8.25 Hz
//   at a corner:     3 rigid modes, then 5.55 7.08 10.12 Hz
//   free:            6 rigid modes, then 8.24 10.11 21.94 Hz
//   after the blow:  0.50 m/s, -2.96 rad/s, 16.0 J
//   1 s later:       the mass centre is 4.4 m lower (as it should: 4.4), the tip at -4.4 m
//                    the tip swings by up to 45.3 mm, energy kept, angular momentum kept
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <quartic/quartic.hpp>
#include <vector>

namespace {

constexpr double two_pi = 6.283185307179586;

void print_frequencies(const char* what, const quartic::ReducedModel& model) {
  std::printf("%-16s %d rigid modes, then", what, model.rigid_modes);
  for (std::size_t mode = 0; mode < 3; ++mode) std::printf(" %.2f", std::sqrt(model.eigenvalues[mode]) / two_pi);
  std::printf(" Hz\n");
}

}  // namespace

int main() {
  // The same beam of 1 m held in four ways. What can move rigidly is found and left out of the model.
  const auto [mesh, end] = quartic::make_beam();
  const std::vector<std::int32_t> nothing, corner = {end.front()},
                                           edge = quartic::vertices_in_box(mesh, {0, 0, 0, 0, 1, 0});
  const quartic::ReduceOptions options{.modes = 6, .rank = 14};
  const quartic::ReducedModel model = quartic::reduce(mesh, nothing, options);
  print_frequencies("held at an end:", quartic::reduce(mesh, end, options));
  print_frequencies("on a hinge:", quartic::reduce(mesh, edge, options));
  print_frequencies("at a corner:", quartic::reduce(mesh, corner, options));
  print_frequencies("free:", model);

  // In flight: a blow of 0.01 s at one end throws the beam, turns and bends it.
  std::vector<quartic::BodyGroup> groups(1);
  groups[0].energy = model.energy;
  groups[0].frame = quartic::free_frame(model);
  quartic::Batch<double> batch(groups, {.integrator = quartic::Integrator::energy_conserving});
  const std::int32_t tip = static_cast<std::int32_t>(model.mesh.vertex_count() - 1);
  const std::vector<quartic::VertexForce> blow = {{0, tip, {0, 0, 400}}};
  for (int n = 0; n < 50; ++n) {  // the force keeps its direction, and the beam turns under it
    for (std::int64_t i = 0; i < 6; ++i) batch.wrench()(i, 0) = 0;
    for (int mode = 0; mode < model.rank(); ++mode) batch.force()(mode, 0) = 0;
    quartic::add_vertex_forces<double>(model.basis.map(), model.mesh.vertices, batch.frame(), blow, batch.q(),
                                       batch.pose(), batch.force(), batch.wrench());
    batch.step(0.0002);
  }
  for (std::int64_t i = 0; i < 6; ++i) batch.wrench()(i, 0) = 0;  // the blow is over
  for (int mode = 0; mode < model.rank(); ++mode) batch.force()(mode, 0) = 0;
  const auto energy = [&] { return batch.elastic_energy()[0] + batch.kinetic_energy()[0]; };
  const double given = energy(), turning = batch.angular_momentum()[1];
  std::printf("after the blow:  %.2f m/s, %.2f rad/s, %.1f J\n", batch.twist()(2, 0), batch.twist()(4, 0), given);

  // A second in free fall: gravity moves the mass centre and bends nothing.
  const double height = batch.pose()(2, 0), speed = batch.twist()(2, 0);
  quartic::add_gravity(batch, {0, 0, -9.81});
  double largest = 0, u[3], x[3];
  for (int frame = 0; frame < 100; ++frame) {
    batch.step(0.01, 50);
    quartic::vertex_displacements<double>(model.basis.map(), batch.q(), std::vector{tip}, u);
    largest = std::max(largest, std::abs(u[2]));
  }
  quartic::vertex_positions<double>(model.basis.map(), model.mesh.vertices, batch.frame(), batch.q(), batch.pose(),
                                    std::vector{tip}, x);
  const double fallen = height - batch.pose()(2, 0);
  std::printf("1 s later:       the mass centre is %.1f m lower (as it should: %.1f), the tip at %.1f m\n", fallen,
              9.81 / 2 - speed, x[2]);
  const double work = 9.81 * batch.frame().mass * fallen;
  std::printf("                 the tip swings by up to %.1f mm, energy %s, angular momentum %s\n", 1000 * largest,
              std::abs(energy() - work - given) < 1e-9 * given ? "kept" : "lost",
              std::abs(batch.angular_momentum()[1] - turning) < 1e-10 * std::abs(turning) ? "kept" : "lost");
}
