// A soft finger with an air chamber over a stiff floor curls as it is inflated: a mesh by formula, its equilibria at a
// few pressures, a reduced model of these and of vibration modes, and a puff of air that it swings under.
//
// build:    g++ -std=c++20 pneumatic_finger.cpp -I/usr/include/eigen3 -lquartic -o pneumatic_finger
// run:      ./pneumatic_finger
// prints:
//   a chamber of 10.0 ml
//   at 14 kPa the tip of the unreduced finger is at -3.5 mm
//   0.00 s: tips at  +0.0 and  +0.0 mm, 10.0 and 10.0 ml
//   0.48 s: tips at  -3.5 and  -0.1 mm, 12.8 and 9.8 ml
//   0.96 s: tips at  -3.5 and  -0.0 mm, 12.7 and 10.0 ml
#include <algorithm>
#include <array>
#include <cstdio>
#include <quartic/quartic.hpp>
#include <vector>

// 12 x 4 x 5 bricks of 1 cm x 5 mm x 5 mm with a chamber of 10 x 2 x 2 in them; the floor, two bricks thick, is stiff.
static quartic::VolumeMesh make_finger() {
  quartic::VolumeMesh mesh;
  for (int k = 0; k <= 5; ++k)
    for (int j = 0; j <= 4; ++j)
      for (int i = 0; i <= 12; ++i) mesh.vertices.insert(mesh.vertices.end(), {0.01 * i, 0.005 * j, 0.005 * k});
  quartic::ElementBlock bricks{quartic::ElementType::hex8, {}};
  const auto vertex = [](int i, int j, int k) { return (k * 5 + j) * 13 + i; };
  for (int k = 0; k < 5; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 12; ++i) {
        if (i > 0 && i < 11 && j > 0 && j < 3 && k > 1 && k < 4) continue;
        for (const int z : {k, k + 1})
          for (const auto& [x, y] : {std::array{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}})
            bricks.vertices.push_back(vertex(x, y, z));
        mesh.element_region.push_back(k < 2 ? 0 : 1);
      }
  mesh.blocks = {bricks};
  mesh.regions = {{"floor", quartic::Material{2e6, 0.4, 1100}}, {"rubber", quartic::Material{2e5, 0.4, 1100}}};
  quartic::drop_unreferenced_vertices(mesh);
  return quartic::make_quadratic(mesh);
}

int main() {
  const quartic::VolumeMesh mesh = make_finger();
  const std::vector<std::int32_t> fixed = quartic::vertices_in_box(mesh, {0, 0, 0, 0, 1, 1});
  const quartic::Chamber air = quartic::find_cavities(mesh).at(0);
  std::printf("a chamber of %.1f ml\n", 1e6 * quartic::enclosed_volume(mesh, air));

  // The fields: four vibration modes, and equilibria of the unreduced body up to 20 kPa.
  const quartic::ReducedModel modes = quartic::reduce(mesh, fixed, {.modes = 4, .energy = false});
  quartic::Matrix fields(3 * mesh.vertex_count(), 10);
  std::ranges::copy(modes.linear_modes.values, fields.values.begin());
  quartic::StaticSolver solver(mesh, fixed, {}, std::span(&air, 1));
  const std::vector<double> no_force(mesh.vertices.size());
  const std::int32_t tip = quartic::vertices_in_box(mesh, {0.12, 0, 0, 0.12, 0, 0}).front();
  quartic::Equilibrium whole;
  for (int i = 0; i < 6; ++i) {
    whole = solver.solve(no_force, whole.solution, std::vector{4000.0 * i + (i == 0 ? 400 : 0)});
    std::ranges::copy(whole.solution, fields.col(4 + i).begin());
  }

  // At a pressure that no field was made of: the reduced finger beside the unreduced one.
  quartic::ReducedModel model = quartic::reduce_with_basis(mesh, fixed, fields.map());
  quartic::add_chamber(model, air);
  quartic::save_model(model, "pneumatic_finger.qrt");
  std::vector<quartic::BodyGroup> groups(1);
  groups[0].energy = model.energy, groups[0].bodies = 2, groups[0].chambers = quartic::chamber_volumes(model);
  quartic::Batch<double> batch(groups, {.rayleigh_mass = 20, .newton_iterations = 3});
  whole = solver.solve(no_force, {}, std::vector{14e3});
  std::printf("at 14 kPa the tip of the unreduced finger is at %+.1f mm\n", 1e3 * whole.solution[3 * tip + 2]);

  // One finger is inflated and held, the other gets a puff.
  for (int frame = 0; frame <= 48; ++frame) {
    if (frame > 0) batch.step(0.02, 10);
    batch.set_pressure(std::vector{14e3, frame < 5 ? 14e3 : 0});
    std::vector<double> u(6);
    quartic::vertex_displacements<double>(model.basis.map(), batch.q(), std::vector{tip}, u);
    if (frame % 24 == 0)
      std::printf("%.2f s: tips at %+5.1f and %+5.1f mm, %.1f and %.1f ml\n", 0.02 * frame, 1e3 * u[2], 1e3 * u[5],
                  1e6 * batch.enclosed_volume()[0], 1e6 * batch.enclosed_volume()[1]);
  }
}
