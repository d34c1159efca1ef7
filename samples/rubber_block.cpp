// A block of Mooney-Rivlin rubber, glued to the floor, that is pushed down until its upper part is turned inside out,
// and let go: it comes back. A block of St. Venant-Kirchhoff stays inside out: reflected, it is at rest.
//
// build:    g++ -std=c++20 rubber_block.cpp -I/usr/include/eigen3 -lquartic -o rubber_block
// run:      ./rubber_block
// prints:
//   mooney-rivlin: ... points instead of 1296, pushed to ... m, back at 1.000 m
//   stvk: pushed to ... m, left at ... m
#include <algorithm>
#include <cstdio>
#include <quartic/quartic.hpp>
#include <string>
#include <utility>

// The mean height of the top.
double height(const quartic::ReducedModel& model, const quartic::Batch<double>& batch) {
  double sum = 0, count = 0;
  for (std::int64_t v = 0; v < model.mesh.vertex_count(); ++v) {
    const double z = model.mesh.vertices[static_cast<std::size_t>(3 * v + 2)];
    if (z < 0.999) continue;
    double moved = z;
    for (int i = 0; i < model.rank(); ++i) moved += model.basis(3 * v + 2, i) * batch.q()(i, 0);
    sum += moved;
    ++count;
  }
  return sum / count;
}

// Lowest height of the top while it is pushed, and that after it was let go.
std::pair<double, double> push(const quartic::ReducedModel& model, double force) {
  quartic::Batch<double> batch({{.force_model = quartic::force_model(model)}},
                               {.integrator = quartic::Integrator::backward_euler,
                                .rayleigh_mass = 20,
                                .newton_iterations = 10,
                                .newton_tolerance = 1e-6});
  for (int i = 0; i < model.rank(); ++i) batch.force()(i, 0) = -force * model.unit_acceleration(i, 2);
  double lowest = 1;
  for (int frame = 0; frame < 100; ++frame) {
    batch.step(0.01, 10);
    lowest = std::min(lowest, height(model, batch));
  }
  for (int i = 0; i < model.rank(); ++i) batch.force()(i, 0) = 0;
  batch.step(3, 3000);
  return {lowest, height(model, batch)};
}

int main() {
  using enum quartic::MaterialLaw;
  for (const quartic::MaterialLaw law : {mooney_rivlin, stvk}) {
    quartic::ProceduralMesh block =
        quartic::make_box({.length = 1,
                           .width = 1,
                           .height = 1,
                           .cells_x = 6,
                           .cells_y = 6,
                           .cells_z = 6,
                           .type = quartic::ElementType::tet4,
                           .material = {.youngs_modulus = 1e5, .poissons_ratio = 0.3, .density = 1000, .law = law}});
    std::vector<std::int32_t> floor;
    for (std::int64_t v = 0; v < block.mesh.vertex_count(); ++v)
      if (block.mesh.vertices[static_cast<std::size_t>(3 * v + 2)] < 1e-9)
        floor.push_back(static_cast<std::int32_t>(v));
    const quartic::ReducedModel model = quartic::reduce(block.mesh, floor, {.modes = 8, .rank = 16});
    const auto [lowest, end] = push(model, 250);
    if (model.cubature)
      std::printf("mooney-rivlin: %d points instead of %d, pushed to %.2f m, back at %.3f m\n",
                  static_cast<int>(model.cubature->count()), static_cast<int>(block.mesh.element_count()), lowest, end);
    else
      std::printf("stvk: pushed to %.2f m, left at %.3f m\n", lowest, end);
    quartic::save_model(model, "block-" + std::string(quartic::material_law_name(law)) + ".qrt");
  }
}
