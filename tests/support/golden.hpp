// Reference values made by another program, read for comparison.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "quartic/matrix.hpp"

namespace quartic::test {

struct GoldenCase {
  const char *name, *mesh, *fixed;
};
inline constexpr GoldenCase golden_cases[] = {
    {"beam_tet", "beam3_tet.veg", "beam3.bou"},
    {"beam_vox", "beam3.veg", "beam3.bou"},
    {"turtle", "turtle-volumetric-homogeneous.veg", "turtle-volumetric.bou"},
};

/// A file of raw little-endian doubles, column-major with `rows` rows.
inline Matrix golden_matrix(const std::filesystem::path& path, std::int64_t rows) {
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  Matrix matrix(rows, bytes / 8 / rows);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(matrix.values.data()), bytes)) throw std::runtime_error(path.string());
  return matrix;
}

}  // namespace quartic::test
