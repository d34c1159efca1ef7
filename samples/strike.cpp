// A bar and a bowl that lie free and a spoon are struck. What they sound like, as WAV files, and in strike.svg.
//
// build:    g++ -std=c++20 strike.cpp -I/usr/include/eigen3 -lquartic -o strike
// run:      ./strike
// prints:
//   bar: 8 modes from ... Hz, 132300 samples
//   bowl: 20 modes from ... Hz, 132300 samples
//   spoon: 12 modes from ... Hz, 132300 samples
//   a thin beam like the bar: 576 Hz
#include <cmath>
#include <cstdio>
#include <numbers>
#include <quartic/quartic.hpp>
#include <string>

namespace {
constexpr double pi = std::numbers::pi;
constexpr quartic::DecayTime decay[] = {{200, 2}, {5000, 0.4}};  // [Hz], [s]
constexpr quartic::Material steel = {.youngs_modulus = 2e11, .poissons_ratio = 0.3, .density = 7850};
constexpr quartic::BoxOptions bar = {.length = 0.3,
                                     .width = 0.03,
                                     .height = 0.01,
                                     .cells_x = 15,
                                     .cells_y = 2,
                                     .cells_z = 1,
                                     .type = quartic::ElementType::tet10,
                                     .material = steel};

// A sheet of bricks rolled up into a hemisphere with a hole, 5 mm thick and 12 cm across.
quartic::VolumeMesh bowl() {
  quartic::VolumeMesh mesh =
      quartic::make_box({.width = 1, .height = 1, .cells_x = 24, .cells_y = 8, .cells_z = 1, .material = steel}).mesh;
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) {
    double* x = mesh.vertices.data() + v;
    const double phi = 2 * pi * x[0], theta = pi * (0.15 + 0.35 * x[1]), radius = 0.055 + 0.005 * x[2];
    x[0] = radius * std::sin(theta) * std::cos(phi);
    x[1] = radius * std::sin(theta) * std::sin(phi);
    x[2] = -radius * std::cos(theta);
  }
  quartic::weld_vertices(mesh, 1e-9);
  return quartic::make_quadratic(mesh);
}

// Strikes the last vertex for half a millisecond, and picks the sound up there.
quartic::Sound struck(const quartic::VolumeMesh& mesh, const quartic::Supports& supports, int modes, const char* name) {
  const quartic::ReducedModel model = quartic::reduce(mesh, supports, {.modes = modes, .energy = false});
  const std::int64_t vertex = model.mesh.vertex_count() - 1;
  const quartic::Strike strike{.vertex = vertex, .impulse = {0.01, 0, -0.02}, .length = 5e-4};
  quartic::Sound sound =
      quartic::render_sound(model, {&strike, 1}, 3, quartic::pickup_weights(model, vertex, {1, 1, 1}),
                            {.rate = 44100, .damping = quartic::rayleigh_damping(decay)});
  quartic::normalize(sound);
  quartic::write_wav(sound, std::string(name) + ".wav");
  std::printf("%s: %d modes from %.0f Hz, %d samples\n", name, static_cast<int>(sound.modes.audible),
              std::sqrt(model.eigenvalues[0]) / (2 * pi), static_cast<int>(sound.frames()));
  return sound;
}

}  // namespace

int main() {
  quartic::ProceduralMesh spoon = quartic::make_spoon();
  spoon.mesh.regions[0].material = steel;
  const quartic::Sound sounds[] = {struck(quartic::make_box(bar).mesh, {}, 8, "bar"), struck(bowl(), {}, 20, "bowl"),
                                   struck(spoon.mesh, spoon.fixed_vertices, 12, "spoon")};
  // Euler and Bernoulli's free beam: 22.373 sqrt(E h^2 / (12 rho)) / (2 pi L^2)
  std::printf("a thin beam like the bar: %.0f Hz\n",
              22.373 * std::sqrt(steel.youngs_modulus * 1e-4 / (12 * steel.density)) / (2 * pi * 0.09));
  std::FILE* file = std::fopen("strike.svg", "w");
  if (file == nullptr) return 1;
  std::fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 900 330' fill='none' stroke='#247'>\n");
  for (int n = 0; n < 3; ++n) {
    std::fprintf(file, "<path stroke-width='.6' d='M0 %d", 55 + 110 * n);
    for (std::size_t i = 0; i < 4410; ++i)
      std::fprintf(file, "L%.1f %.1f", static_cast<double>(i) / 4.9, 55 + 110 * n - 50 * double{sounds[n].samples[i]});
    std::fprintf(file, "'/>\n");
  }
  std::fprintf(file, "</svg>\n");
  std::fclose(file);
}
