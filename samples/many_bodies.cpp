// A thousand bodies of one model, each pulled by a force of its own, stepped together.
//
// build:    g++ -std=c++20 many_bodies.cpp -I/usr/include/eigen3 -lquartic -o many_bodies
// run:      ./many_bodies
// prints:
//   body   0 sinks by 0.00 m
//   body 250 sinks by 0.07 m
//   body 500 sinks by 0.15 m
//   body 999 sinks by 0.28 m
//   1000 of 1000 bodies ok
//   throughput: ... body steps per second
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <quartic/quartic.hpp>
#include <utility>
#include <vector>

int main() {
  const auto [mesh, fixed_vertices] = quartic::make_beam();
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed_vertices, {.modes = 8, .rank = 16});
  const std::vector<std::int32_t> tip = {static_cast<std::int32_t>(model.mesh.vertex_count() - 1)};

  // Body b carries b/1000 of 40 N at its tip.
  constexpr std::int64_t bodies = 1000;
  quartic::Batch<float> batch(model.energy, {.bodies = bodies, .rayleigh_mass = 4});
  std::vector<quartic::VertexForce> forces;
  for (std::int64_t body = 0; body < bodies; ++body)
    forces.push_back({.body = body, .vertex = tip[0], .force = {0, 0, -40.0 * static_cast<double>(body) / bodies}});
  quartic::add_vertex_forces<float>(model.basis.map(), forces, batch.force());

  constexpr int steps = 400;
  const auto begin = std::chrono::steady_clock::now();
  batch.step(4, steps);  // 4 s in steps of 0.01 s
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  std::vector<float> u(3 * bodies);  // body, vertex, coordinate
  quartic::vertex_displacements<float>(model.basis.map(), std::as_const(batch).q(), tip, u);
  for (const std::int64_t body : {0, 250, 500, 999})
    std::printf("body %3d sinks by %.2f m\n", static_cast<int>(body), 0 - u[static_cast<std::size_t>(3 * body + 2)]);
  const auto ok = std::count(batch.status().begin(), batch.status().end(), quartic::BodyStatus::ok);
  std::printf("%d of %d bodies ok\n", static_cast<int>(ok), static_cast<int>(bodies));
  std::printf("throughput: %.3g body steps per second\n", steps * bodies / seconds);
}
