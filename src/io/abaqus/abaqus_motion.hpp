// Where an instance of a part stands.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"
#include "io/text/text.hpp"

namespace quartic::io {

/// x -> centre + R (x + shift - centre)
struct AbaqusMotion {
  std::array<double, 3> shift{}, centre{};
  std::array<std::array<double, 3>, 3> rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

  std::array<double, 3> operator()(const std::array<double, 3>& x) const {
    std::array<double, 3> y = centre;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) y[i] += rotation[i][j] * (x[j] + shift[j] - centre[j]);
    return y;
  }
};

/// The translation first, then the turn by an angle about the axis from one point to another (right-handed):
/// R = cos I + sin [a]x + (1 - cos) a aT. @throws ParseError if the axis has no direction
[[nodiscard]] inline AbaqusMotion abaqus_motion(const Deck& deck, const AbaqusInstance& instance) {
  AbaqusMotion motion;
  motion.shift = instance.translation;
  if (!instance.rotation) return motion;
  const auto& numbers = *instance.rotation;
  motion.centre = {numbers[0], numbers[1], numbers[2]};
  std::array<double, 3> axis = {numbers[3] - numbers[0], numbers[4] - numbers[1], numbers[5] - numbers[2]};
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  if (!(length > 0) || !std::isfinite(length))
    deck.fail(instance.place, "instance " + quote(instance.name) + " is rotated about an axis without direction");
  for (double& a : axis) a /= length;
  const double angle = numbers[6] * (std::numbers::pi / 180);
  const double c = std::cos(angle), s = std::sin(angle);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) motion.rotation[i][j] = (i == j ? c : 0) + (1 - c) * axis[i] * axis[j];
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    motion.rotation[k][j] += s * axis[i];
    motion.rotation[j][k] -= s * axis[i];
  }
  return motion;
}

}  // namespace quartic::io
