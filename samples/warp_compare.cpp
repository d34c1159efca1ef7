// A rubber bar under its own weight, four times: as the sum of its linear modes, by modal and by rotation-strain
// warping of these, and as a nonlinear body. warp_compare.svg shows them from the side.
//
// build:    g++ -std=c++20 warp_compare.cpp -I/usr/include/eigen3 -lquartic -o warp_compare
// run:      ./warp_compare
// prints:
//   linear: tip at ... m, ... m; volume ... %
//   modal: tip at ... m, ... m; volume ... %
//   rotation-strain: tip at ... m, ... m; volume ... %
//   nonlinear: tip at ... m, ... m; volume ... %
#include <array>
#include <cstdio>
#include <quartic/quartic.hpp>
#include <string>
#include <vector>

namespace {

// From the side, each bar in a place of its own.
void draw(std::FILE* file, const quartic::VolumeMesh& mesh, const std::vector<double>& u, int place, const char* name) {
  const std::vector<std::int32_t> triangles = quartic::boundary_triangles(mesh);
  std::fprintf(file, "<text x='%d' y='24' stroke='none' font-size='18'>%s</text>\n", 20 + 270 * place, name);
  for (std::size_t n = 0; n < triangles.size(); ++n) {
    const auto at = 3 * static_cast<std::size_t>(triangles[n]);
    std::fprintf(file, "%s%.1f %.1f%s", n % 3 == 0 ? "<path stroke-width='.15' fill-opacity='.4' d='M" : "L",
                 20 + 270 * place + 220 * (mesh.vertices[at] + u[at]), 60 - 220 * (mesh.vertices[at + 2] + u[at + 2]),
                 n % 3 == 2 ? "Z'/>\n" : "");
  }
}

double volume(quartic::VolumeMesh mesh, const std::vector<double>& u) {
  const std::vector<std::int32_t> triangles = quartic::boundary_triangles(mesh);
  for (std::size_t i = 0; i < u.size(); ++i) mesh.vertices[i] += u[i];
  double sum = 0;  // of the tetrahedra between the triangles and the origin, times 6
  const auto x = [&](std::size_t corner, std::size_t axis) {
    return mesh.vertices[3 * static_cast<std::size_t>(triangles[corner]) + axis];
  };
  for (std::size_t n = 0; n < triangles.size(); n += 3)
    for (std::size_t i = 0, j = 1, k = 2; i < 3; ++i, j = (j + 1) % 3, k = (k + 1) % 3)
      sum += x(n, i) * (x(n + 1, j) * x(n + 2, k) - x(n + 1, k) * x(n + 2, j));
  return sum / 6;
}

}  // namespace

int main() {
  quartic::BoxOptions box{.cells_x = 40, .cells_y = 4, .cells_z = 4};
  box.material = {.youngs_modulus = 1.4e6, .poissons_ratio = 0.33, .density = 1000};
  const auto [mesh, fixed] = quartic::make_box(box);
  const quartic::ReducedModel model = quartic::reduce(mesh, fixed, {.modes = 20, .rank = 60}),
                              modal = quartic::modal_model(model);
  const auto weight = [](const quartic::ReducedModel& of, std::int64_t i) {
    return -9.81 * of.unit_acceleration(i, 2);
  };
  std::vector<double> q, force;
  for (std::int64_t i = 0; i < modal.rank(); ++i)  // each mode is a spring
    q.push_back(weight(modal, i) / modal.eigenvalues[static_cast<std::size_t>(i)]);
  for (std::int64_t i = 0; i < model.rank(); ++i) force.push_back(weight(model, i));

  std::vector<std::vector<double>> shapes(4, std::vector<double>(mesh.vertices.size()));
  quartic::body_shape(modal, quartic::Warp::none)->displacements(q, shapes[0]);
  quartic::body_shape(modal, quartic::Warp::modal)->displacements(q, shapes[1]);
  quartic::body_shape(modal, quartic::Warp::rotation_strain)->displacements(q, shapes[2]);
  const quartic::Equilibrium hanging = quartic::reduced_equilibrium(model.energy, force);
  quartic::body_shape(model, quartic::Warp::none)->displacements(hanging.solution, shapes[3]);

  std::FILE* file = std::fopen("warp_compare.svg", "w");
  if (file == nullptr) return 1;
  std::fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1080 480' fill='#59c' stroke='#247'>\n");
  const char* names[] = {"linear", "modal", "rotation-strain", "nonlinear"};
  for (std::size_t n = 0; n < 4; ++n) {
    draw(file, model.mesh, shapes[n], static_cast<int>(n), names[n]);
    const std::size_t tip = mesh.vertices.size() - 3;
    std::printf("%s: tip at %.2f m, %.2f m; volume %+.1f %%\n", names[n], mesh.vertices[tip] + shapes[n][tip],
                mesh.vertices[tip + 2] + shapes[n][tip + 2], 100 * (volume(model.mesh, shapes[n]) / 0.01 - 1));
  }
  std::fprintf(file, "</svg>\n");
  std::fclose(file);
}
