// A cantilever becomes a reduced model, bends under its own weight, and is left as an animated surface.
//
// build:    g++ -std=c++20 hello_beam.cpp -I/usr/include/eigen3 -lquartic -o hello_beam
// run:      ./hello_beam
// prints:
//   12 coordinates instead of 3075
//   0.0 s: tip moved by (0.0000, 0.0000, 0.0000) m
//   0.5 s: tip moved by (-0.0316, 0.0000, -0.2833) m
//   1.0 s: tip moved by (-0.0219, 0.0000, -0.2466) m
//   1.5 s: tip moved by (-0.0068, 0.0000, -0.1645) m
//   2.0 s: tip moved by (-0.0171, 0.0000, -0.2244) m
//   hello_beam.glb written
#include <cstdio>
#include <quartic/quartic.hpp>
#include <vector>

int main() {
  // 1 m x 0.1 m x 0.08 m, held at x = 0; a model of rank 12 from 6 linear modes and their derivatives.
  const auto [mesh, fixed_vertices] = quartic::make_beam();
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed_vertices, {.modes = 6, .rank = 12});
  std::printf("%d coordinates instead of %d\n", model.rank(), static_cast<int>(3 * model.mesh.vertex_count()));

  // Gravity along -z from the first moment on, with some damping.
  quartic::Batch<double> batch(model.energy, {.rayleigh_mass = 2});
  for (int mode = 0; mode < model.rank(); ++mode) batch.force()(mode, 0) = -9.81 * model.unit_acceleration(mode, 2);

  // 40 frames, 0.05 s apart; watch a corner of the free end, which the last vertex is.
  const std::vector<std::int32_t> tip = {static_cast<std::int32_t>(model.mesh.vertex_count() - 1)};
  quartic::Trajectory trajectory{.bodies = 1, .rank = model.rank()};
  for (int frame = 0; frame <= 40; ++frame) {
    if (frame > 0) batch.step(0.05, 10);
    trajectory.time.push_back(0.05 * frame);
    for (int mode = 0; mode < model.rank(); ++mode) trajectory.q.push_back(batch.q()(mode, 0));
    double u[3];
    quartic::vertex_displacements<double>(model.basis.map(), batch.q(), tip, u);
    if (frame % 10 == 0) std::printf("%.1f s: tip moved by (%.4f, %.4f, %.4f) m\n", 0.05 * frame, u[0], u[1], u[2]);
  }
  trajectory.status.assign(batch.status().begin(), batch.status().end());
  quartic::write_glb(model, trajectory, "hello_beam.glb");
  std::printf("hello_beam.glb written\n");
}
