// What `reduce` and `modes` start from: a mesh, its materials, its fixed vertices.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic::cli {

struct BodyOptions {
  std::string mesh;
  std::optional<double> youngs_modulus, poissons_ratio, density;  ///< for all regions
  std::string materials;                                          ///< JSON file, by region
  std::vector<std::string> fix, fix_box, fix_set;
  bool free = false;
};

void add_body_options(CLI::App& command, BodyOptions& options);

struct Body {
  VolumeMesh mesh;  ///< every region has a material, every element a region
  std::vector<std::int32_t> fixed_vertices;
  std::vector<std::string> warnings;
};

/// Reads what the options name. @throws UsageError, InputError
[[nodiscard]] Body read_body(const BodyOptions& options);

}  // namespace quartic::cli
