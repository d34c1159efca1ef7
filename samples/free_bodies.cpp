// Beams that little or nothing holds: rigid modes, and a free one that is hit at its end.
//
// build:    g++ -std=c++20 free_bodies.cpp -I/usr/include/eigen3 -lquartic -o free_bodies
// run:      ./free_bodies
// prints:
//   held at an end:  0 rigid modes, then 1.33 1.64 8.08 Hz
//   on a hinge:      1 rigid modes, then 1.17 5.57 8.25 Hz
//   at a corner:     3 rigid modes, then 5.55 7.08 10.12 Hz
//   free:            6 rigid modes, then 8.24 10.11 21.94 Hz
//   gravity on it:   none
//   after the blow:  centre at 0.50 m/s, vibration 10.662 J
//   1 s later:       tip swings by up to 48.3 mm, energy kept
#include <algorithm>
#include <array>
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

  // Gravity accelerates a free beam as a whole: it deforms nothing.
  double felt = 0;
  for (const double value : model.unit_acceleration.values) felt = std::max(felt, std::abs(value));
  std::printf("gravity on it:   %s\n", felt < 1e-10 ? "none" : "some");

  // A blow of 0.01 s at one end bends it. The centre of mass takes the whole force as a rigid body would.
  const double mass = *quartic::check_mesh(model.mesh).mass;
  const std::int32_t tip = static_cast<std::int32_t>(model.mesh.vertex_count() - 1);
  const std::array<double, 3> blow = {0, 0, 400};
  quartic::Batch<double> batch(model.energy, {.integrator = quartic::Integrator::energy_conserving});
  quartic::add_vertex_forces<double>(model.basis.map(), std::vector<quartic::VertexForce>{{0, tip, blow}},
                                     batch.force());
  double velocity = 0;
  const auto advance = [&](double seconds, double force) {
    batch.step(seconds, 50);
    velocity += force / mass * seconds;
  };
  advance(0.01, blow[2]);
  for (int mode = 0; mode < model.rank(); ++mode) batch.force()(mode, 0) = 0;  // the blow is over
  const double energy = batch.elastic_energy()[0] + batch.kinetic_energy()[0];
  std::printf("after the blow:  centre at %.2f m/s, vibration %.3f J\n", velocity, energy);

  double largest = 0, u[3];
  for (int frame = 0; frame < 100; ++frame) {
    advance(0.01, 0);
    quartic::vertex_displacements<double>(model.basis.map(), batch.q(), std::vector{tip}, u);
    largest = std::max(largest, std::abs(u[2]));
  }
  const double left = batch.elastic_energy()[0] + batch.kinetic_energy()[0];
  std::printf("1 s later:       tip swings by up to %.1f mm, energy %s\n", 1000 * largest,
              std::abs(left - energy) < 1e-10 * energy ? "kept" : "lost");
}
