// Three soft blocks on slopes: one sticks, two slide as Coulomb's law has it. sliding_blocks.svg: every quarter second.
//
// build:    g++ -std=c++20 sliding_blocks.cpp -I/usr/include/eigen3 -lquartic -o sliding_blocks
// run:      ./sliding_blocks
// prints:
//   20 degrees: 0.00 m/s^2 (by Coulomb's law 0.00), pressed with 83.0 N (weight across: 83.0 N)
//   30 degrees: 0.66 m/s^2 (by Coulomb's law 0.66), pressed with 76.7 N (weight across: 76.5 N)
//   40 degrees: 2.55 m/s^2 (by Coulomb's law 2.55), pressed with 67.9 N (weight across: 67.6 N)
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <quartic/quartic.hpp>
#include <utility>
#include <vector>

constexpr double gravity = 9.81, friction = 0.5;
constexpr double sines[] = {0.34202, 0.5, 0.642788}, cosines[] = {0.939693, 0.866025, 0.766044};  // 20, 30, 40 degrees

// Where a point of a slope, x along it and z above it [m], is in the picture.
std::array<double, 2> seen(std::size_t body, double x, double z) {
  return {90 + 300 * (static_cast<double>(body) + cosines[body] * x + sines[body] * z),
          60 + 300 * (sines[body] * x - cosines[body] * z)};
}

int main() {
  // 0.3 x 0.2 x 0.15 m and 9 kg of rubber, free to fly.
  quartic::BoxOptions box{.length = 0.3, .width = 0.2, .height = 0.15, .cells_x = 6, .cells_y = 4, .cells_z = 3};
  box.material = {.youngs_modulus = 5e4, .poissons_ratio = 0.4, .density = 1000};
  const auto [mesh, none] = quartic::make_box(box);
  const quartic::ReducedModel model = quartic::reduce(mesh, {}, {.modes = 6, .rank = 12});
  const quartic::FrameMoments frame = quartic::free_frame(model);
  std::vector<quartic::BodyGroup> groups(1);
  groups[0].energy = model.energy;
  groups[0].bodies = 3;
  groups[0].frame = frame;
  quartic::Batch<double> batch(groups, {.integrator = quartic::Integrator::backward_euler, .rayleigh_stiffness = 2e-3});
  const auto tree = std::make_shared<quartic::BoundTree>(quartic::bound_tree(model));
  quartic::World<double> world(std::move(batch), {tree}, {.stiffness = 1e6, .friction = friction});
  world.colliders() = {quartic::Collider{quartic::Shape{quartic::PlaneShape{}}}};  // the ground, z = 0
  std::FILE* file = std::fopen("sliding_blocks.svg", "w");
  if (file == nullptr) return 1;
  std::fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1060 370' fill='#59c' stroke='#247'>\n");
  for (std::size_t body = 0; body < 3; ++body) {  // instead of the ground, gravity is tilted
    const auto [u, v] = seen(body, -0.25, 0);
    std::fprintf(file, "<path d='M%.1f %.1fl%.1f %.1f'/>\n", u, v, 330 * cosines[body], 330 * sines[body]);
    world.batch().pose()(2, static_cast<std::int64_t>(body)) = 0.075;
    world.batch().wrench()(0, static_cast<std::int64_t>(body)) = frame.mass * gravity * sines[body];
    world.batch().wrench()(2, static_cast<std::int64_t>(body)) = -frame.mass * gravity * cosines[body];
  }
  const std::vector<std::int32_t> triangles = quartic::boundary_triangles(mesh);
  std::vector<double> x(3 * mesh.vertices.size());
  std::array<double, 3> before{};
  for (int step = 0; step <= 250; ++step) {  // of 4 ms
    for (std::int64_t body = 0; step == 200 && body < 3; ++body)
      before[static_cast<std::size_t>(body)] = world.batch().twist()(0, body);
    quartic::vertex_positions<double>(model.basis.map(), mesh.vertices, frame, world.batch().q(), world.batch().pose(),
                                      {}, x);
    for (std::size_t n = 0; step % 62 == 0 && n < 3 * triangles.size(); ++n) {  // from the side
      const std::size_t body = n / triangles.size(), corner = n % triangles.size();
      const double* at = x.data() + body * mesh.vertices.size() + 3 * static_cast<std::size_t>(triangles[corner]);
      const auto [u, v] = seen(body, at[0], at[2]);
      std::fprintf(file, "%s%.1f %.1f%s", corner % 3 == 0 ? "<path stroke-width='.1' opacity='.5' d='M" : "L", u, v,
                   corner % 3 == 2 ? "Z'/>\n" : "");
    }
    if (step < 250) world.step(4e-3);
  }
  std::fprintf(file, "</svg>\n");
  std::fclose(file);
  for (std::size_t body = 0; body < 3; ++body)
    std::printf("%zu degrees: %.2f m/s^2 (by Coulomb's law %.2f), pressed with %.1f N (weight across: %.1f N)\n",
                20 + 10 * body, (world.batch().twist()(0, static_cast<std::int64_t>(body)) - before[body]) / 0.2,
                gravity * std::max(0.0, sines[body] - friction * cosines[body]), world.contact_wrench()[6 * body + 2],
                frame.mass * gravity * cosines[body]);
}
