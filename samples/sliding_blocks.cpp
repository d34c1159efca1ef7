// Three soft blocks on slopes: one sticks, two slide. Accelerations beside Coulomb's law, and what the ground bears.
//
// build:    g++ -std=c++20 sliding_blocks.cpp -I/usr/include/eigen3 -lquartic -o sliding_blocks
// run:      ./sliding_blocks
// prints:
//   20 degrees: 0.00 m/s^2 (by Coulomb's law 0.00), pressed with 83.0 N (weight across: 83.0 N)
//   30 degrees: 0.66 m/s^2 (by Coulomb's law 0.66), pressed with 76.7 N (weight across: 76.5 N)
//   40 degrees: 2.55 m/s^2 (by Coulomb's law 2.55), pressed with 67.9 N (weight across: 67.6 N)
//   sliding_blocks.svg shows them every quarter of a second
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <quartic/quartic.hpp>
#include <utility>
#include <vector>

namespace {

constexpr double gravity = 9.81, friction = 0.5;
constexpr double slopes[] = {20, 30, 40};  // [degrees]

double radians(int body) {
  return slopes[body] * std::numbers::pi / 180;
}

// Where a point of a slope, x along it and z above it [m], is in the picture.
std::array<double, 2> seen(int body, double x, double z) {
  const double c = std::cos(radians(body)), s = std::sin(radians(body));
  return {90 + 300 * (body + c * x + s * z), 60 + 300 * (s * x - c * z)};
}

// The blocks from the side, each on its slope: of their boundary the triangles that face who looks.
void draw(std::FILE* file, const quartic::ReducedModel& model, const quartic::FrameMoments& frame,
          const quartic::Batch<double>& batch) {
  const std::vector<std::int32_t> triangles = quartic::boundary_triangles(model.mesh);
  std::vector<double> x(3 * model.mesh.vertices.size());
  quartic::vertex_positions<double>(model.basis.map(), model.mesh.vertices, frame, batch.q(), batch.pose(), {}, x);
  for (int body = 0; body < 3; ++body) {
    const double* own = x.data() + static_cast<std::size_t>(body) * model.mesh.vertices.size();
    const auto corner = [&](std::size_t t) { return seen(body, own[3 * triangles[t]], own[3 * triangles[t] + 2]); };
    std::fprintf(file, "<g opacity='.6' fill='#59c' stroke='#247' stroke-width='.3'><path d='");
    for (std::size_t t = 0; t < triangles.size(); t += 3) {
      const auto [a, b, c] = std::array{corner(t), corner(t + 1), corner(t + 2)};
      if ((b[0] - a[0]) * (c[1] - a[1]) < (b[1] - a[1]) * (c[0] - a[0]))
        std::fprintf(file, "M%.1f %.1fL%.1f %.1fL%.1f %.1fZ", a[0], a[1], b[0], b[1], c[0], c[1]);
    }
    std::fprintf(file, "'/></g>\n");
  }
}

}  // namespace

int main() {
  // 0.3 x 0.2 x 0.15 m and 9 kg of rubber, free to fly.
  const auto [mesh, none] =
      quartic::make_box({.length = 0.3,
                         .width = 0.2,
                         .height = 0.15,
                         .cells_x = 6,
                         .cells_y = 4,
                         .cells_z = 3,
                         .material = {.youngs_modulus = 5e4, .poissons_ratio = 0.4, .density = 1000}});
  const quartic::ReducedModel model = quartic::reduce(mesh, {}, {.modes = 6, .rank = 12});
  std::vector<quartic::BodyGroup> groups(1);
  groups[0].energy = model.energy;
  groups[0].bodies = 3;
  groups[0].frame = quartic::free_frame(model);
  const quartic::FrameMoments frame = *groups[0].frame;

  quartic::Batch<double> blocks(groups,
                                {.integrator = quartic::Integrator::backward_euler, .rayleigh_stiffness = 2e-3});
  const auto tree = std::make_shared<quartic::BoundTree>(quartic::bound_tree(model));
  quartic::World<double> world(std::move(blocks), {tree}, {.stiffness = 1e6, .friction = friction});
  world.colliders() = {quartic::Collider{quartic::Shape{quartic::PlaneShape{}}}};  // the ground, z = 0
  for (int body = 0; body < 3; ++body) {  // instead of the ground, gravity is tilted
    world.batch().pose()(2, body) = 0.075;
    world.batch().wrench()(0, body) = frame.mass * gravity * std::sin(radians(body));
    world.batch().wrench()(2, body) = -frame.mass * gravity * std::cos(radians(body));
  }
  std::FILE* file = std::fopen("sliding_blocks.svg", "w");
  if (file == nullptr) return 1;
  std::fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1060 370' stroke='#555'>\n");
  for (int body = 0; body < 3; ++body) {
    const auto [x0, y0] = seen(body, -0.25, 0);
    const auto [x1, y1] = seen(body, body == 2 ? 1.5 : 0.75, 0);
    std::fprintf(file, "<path d='M%.1f %.1fL%.1f %.1f'/>\n", x0, y0, x1, y1);
  }
  double before[3];
  for (int step = 0; step <= 250; ++step) {  // of 4 ms
    if (step == 200)
      for (int body = 0; body < 3; ++body) before[body] = world.batch().twist()(0, body);
    if (step % 62 == 0) draw(file, model, frame, world.batch());
    if (step < 250) world.step(4e-3);
  }
  std::fprintf(file, "</svg>\n");
  std::fclose(file);
  for (int body = 0; body < 3; ++body) {
    const double a = radians(body), acceleration = (world.batch().twist()(0, body) - before[body]) / 0.2;
    const double coulomb = gravity * std::max(0.0, std::sin(a) - friction * std::cos(a));
    std::printf("%.0f degrees: %.2f m/s^2 (by Coulomb's law %.2f), pressed with %.1f N (weight across: %.1f N)\n",
                slopes[body], acceleration, coulomb, world.contact_wrench()[static_cast<std::size_t>(6 * body + 2)],
                frame.mass * gravity * std::cos(a));
  }
  std::printf("sliding_blocks.svg shows them every quarter of a second\n");
}
