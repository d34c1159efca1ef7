// How a scene is to be shown, as the command line says. Needs no OpenGL.
#pragma once

#include <cstdint>
#include <optional>

#include "view/session/camera.hpp"

namespace quartic::view {

enum class BasisPrecision : std::uint8_t { single, half };
enum class ColourBy : std::uint8_t { plain, displacement, strain };

struct SceneOptions {
  std::optional<double> azimuth = {}, elevation = {};  ///< [degrees]; unset: the camera's own
  std::optional<double> distance = {};                 ///< [m]; unset: so that everything fits in
  UpAxis up = UpAxis::z;
  double crease_angle = 40;  ///< [degrees]
  BasisPrecision basis_precision = BasisPrecision::half;
  ColourBy colour_by = ColourBy::plain;
  std::optional<double> colour_range =
      {};  ///< unset: the largest value of the last frame, in a window a tenth of the size
};

}  // namespace quartic::view
