// Options that modal bodies and sounds share.
#pragma once

#include <string>
#include <vector>

#include "python/choices.hpp"
#include "python/shared.hpp"
#include "quartic/sound.hpp"

namespace quartic::python {

/// What vertices count, as words.
inline constexpr Choice<VertexOf, 2> vertex_kinds{{{"mesh", VertexOf::mesh}, {"surface", VertexOf::surface}}};

/// @throws InputError for a word that is neither float32 nor float64
[[nodiscard]] inline bool is_float32(const std::string& dtype) {
  constexpr Choice<bool, 2> precisions{{{"float32", true}, {"float64", false}}};
  return chosen(precisions, "dtype", dtype);
}

/// Numbers of an array, none of None.
[[nodiscard]] inline std::vector<double> optional_doubles(nb::handle object, const std::string& name) {
  return object.is_none() ? std::vector<double>{} : doubles(object, name, {-1});
}

}  // namespace quartic::python
