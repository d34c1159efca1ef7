// A beam on a base that moves: at rest, spun, and shaken. What the base has to bear, beside closed forms.
//
// build:    g++ -std=c++20 moving_base.cpp -I/usr/include/eigen3 -lquartic -o moving_base
// run:      ./moving_base
// prints:
//   at rest:  the base carries 78.48 N (its weight: 78.48 N)
//   spun:     the base pulls with 100.0 N (a rigid beam: 100.0 N)
//   shaken:   the tip moves 1.51 times as far as the base (a slender beam: 1.52)
//             the base pushes 1.20 times as hard as for a rigid one (1.21)
//   moving_base.svg shows base, tip and force while it is shaken
#include <array>
#include <cmath>
#include <cstdio>
#include <quartic/quartic.hpp>
#include <utility>
#include <vector>

namespace {

void draw(const std::vector<std::array<double, 3>>& samples) {
  std::FILE* file = std::fopen("moving_base.svg", "w");
  if (file == nullptr) return;
  std::fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 900 300' font-size='14'>\n");
  const char *colours[] = {"#999", "#33c", "#c33"}, *names[] = {"base", "tip", "force"};
  std::fprintf(file, "<text x='4' y='290'>base and tip -19 .. 19 mm, force -2.5 .. 2.5 N, over time</text>\n");
  constexpr std::size_t drawn = 8000;  // of the beginning
  for (std::size_t line = 0; line < 3; ++line) {
    std::fprintf(file, "<text x='%d' y='20' fill='%s'>%s</text>\n", 4 + 60 * static_cast<int>(line), colours[line],
                 names[line]);
    std::fprintf(file, "<polyline fill='none' stroke='%s' points='", colours[line]);
    for (std::size_t n = 0; n < drawn; n += 10)
      std::fprintf(file, "%.1f,%.1f ", 900.0 * static_cast<double>(n) / drawn,
                   150 - (line < 2 ? 8000 : 60) * samples[n][line]);
    std::fprintf(file, "'/>\n");
  }
  std::fprintf(file, "</svg>\n");
  std::fclose(file);
}

}  // namespace

int main() {
  // A beam of 1 m and 8 kg, held at x = 0 by the base, whose origin is there.
  const auto [mesh, end] = quartic::make_beam();
  const quartic::ReducedModel model = quartic::reduce(mesh, end, {.modes = 6, .rank = 14});
  const std::vector<std::int32_t> tip = {static_cast<std::int32_t>(model.mesh.vertex_count() - 1)};
  std::vector<quartic::BodyGroup> groups(1);
  groups[0].energy = model.energy;
  groups[0].frame = quartic::base_frame(model);
  groups[0].motion = quartic::FrameMotion::prescribed;
  const double mass = groups[0].frame->mass;
  double wrench[6];
  const quartic::StateView<double> base = {wrench, 6, 1, 1, 1};

  // What is constant may go on for many substeps.
  const quartic::BatchOptions settling{.integrator = quartic::Integrator::backward_euler, .rayleigh_mass = 10};
  quartic::Batch<double> still(groups, settling), spun(groups, settling);
  quartic::add_gravity(still, {0, 0, -9.81});
  still.step(10, 2000);
  quartic::base_wrench(still, base);
  std::printf("at rest:  the base carries %.2f N (its weight: %.2f N)\n", wrench[2], 9.81 * mass);
  spun.twist()(5, 0) = 5;  // about z
  spun.step(10, 2000);
  quartic::base_wrench(spun, base);
  std::printf("spun:     the base pulls with %.1f N (a rigid beam: %.1f N)\n", -wrench[0], mass * 25 * 0.5);

  // Shaken up and down by 1 cm at half the first frequency, little by little: a step per call, with the base's motion
  // at the end of it.
  const double w = std::sqrt(model.eigenvalues[0]) / 2, h = 0.02 / w, growth = w / 40;
  quartic::Batch<double> shaken(groups, {.rayleigh_mass = 0.1 * w, .newton_iterations = 2});
  std::vector<std::array<double, 3>> samples;
  double farthest = 0, hardest = 0, u[3];
  for (int n = 1; n <= 20000; ++n) {
    const double t = n * h, fade = std::exp(-growth * t), size = 0.01;
    const double z = size * (1 - fade) * std::sin(w * t);
    shaken.pose()(2, 0) = z;
    shaken.twist_rate()(2, 0) =
        -w * w * z + size * fade * growth * (2 * w * std::cos(w * t) - growth * std::sin(w * t));
    shaken.step(h);
    quartic::base_wrench(shaken, base);
    quartic::vertex_displacements<double>(model.basis.map(), std::as_const(shaken).q(), tip, u);
    samples.push_back({z, z + u[2], wrench[2]});
    if (n <= 18000) continue;
    farthest = std::fmax(farthest, std::abs(z + u[2]) / size);
    hardest = std::fmax(hardest, std::abs(wrench[2]) / (mass * w * w * size));
  }
  // Of a slender cantilever, whose first frequency is at b = 1.8751: b^2 goes with the frequency.
  const double b = 1.8751 * std::sqrt(0.5), both = 1 + std::cos(b) * std::cosh(b);
  std::printf("shaken:   the tip moves %.2f times as far as the base (a slender beam: %.2f)\n", farthest,
              (std::cos(b) + std::cosh(b)) / both);
  std::printf("          the base pushes %.2f times as hard as for a rigid one (%.2f)\n", hardest,
              (std::cos(b) * std::sinh(b) + std::sin(b) * std::cosh(b)) / (b * both));
  std::printf("moving_base.svg shows base, tip and force while it is shaken\n");
  draw(samples);
}
