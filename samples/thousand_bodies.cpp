// A thousand bars fall on the ground within two seconds: one mix, of one bar's oscillators and a thousand strikes.
//
// build:    g++ -std=c++20 thousand_bodies.cpp -I/usr/include/eigen3 -lquartic -o thousand_bodies
// run:      ./thousand_bodies
// prints:
//   1000 strikes, 10 modes, 141120 samples
//   the mix of ten streams differs by less than a millionth: yes
//   ... times as fast as it sounds
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <quartic/quartic.hpp>
#include <vector>

int main() {
  // A steel bar of 20 cm, free in the air.
  const auto [mesh, none] =
      quartic::make_box({.length = 0.2,
                         .width = 0.02,
                         .height = 0.008,
                         .cells_x = 10,
                         .cells_y = 1,
                         .cells_z = 1,
                         .type = quartic::ElementType::tet10,
                         .material = {.youngs_modulus = 2e11, .poissons_ratio = 0.3, .density = 7850}});
  const quartic::ReducedModel model = quartic::reduce(mesh, {}, {.modes = 10, .energy = false});
  const quartic::SoundWeights heard = quartic::pickup_weights(model, 0, {0, 0, 1});
  const quartic::DecayTime decay[] = {{500, 1.5}, {8000, 0.3}};
  const quartic::SoundOptions options{.rate = 48000, .damping = quartic::rayleigh_damping(decay), .max_strikes = 1000};

  // Each bar lands somewhere else, at its own time, and is as loud as it is near.
  std::vector<quartic::Strike> strikes;
  for (int body = 0; body < 1000; ++body) {
    const double chance = std::fmod(body * 0.6180339887498949, 1.0);
    strikes.push_back({.vertex = (body * 37) % model.mesh.vertex_count(),
                       .impulse = {0, 0, 0.02},
                       .time = 2 * std::sqrt(chance),
                       .length = 2e-4 + 2e-4 * chance,
                       .gain = 1 / (1.0 + 0.01 * body)});
  }
  const auto begin = std::chrono::steady_clock::now();
  quartic::Sound mix = quartic::render_sound(model, strikes, 2.94, heard, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  // The same by ten streams with a hundred bars each.
  std::vector<float> sum(mix.samples.size());
  for (int part = 0; part < 10; ++part) {
    quartic::SoundStream<float> stream(model, heard, options);
    for (std::size_t body = static_cast<std::size_t>(part); body < 1000; body += 10) stream.strike(strikes[body]);
    if (!stream.add(sum)) return 1;
  }
  double largest = 0, difference = 0;
  for (std::size_t n = 0; n < sum.size(); ++n) {
    largest = std::max(largest, std::abs(double{sum[n]}));
    difference = std::max(difference, std::abs(double{sum[n]} - double{mix.samples[n]}));
  }
  std::printf("1000 strikes, %d modes, %d samples\n", static_cast<int>(mix.modes.audible),
              static_cast<int>(mix.frames()));
  std::printf("the mix of ten streams differs by less than a millionth: %s\n",
              difference < 1e-6 * largest ? "yes" : "no");
  quartic::normalize(mix);
  quartic::write_wav(mix, "thousand_bodies.wav", quartic::WavFormat::pcm16);
  std::printf("%.0f times as fast as it sounds\n", 2.94 / seconds);
}
