// How warm a body is: --heat, --expansion.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/loads.hpp"
#include "quartic/mesh.hpp"
#include "quartic/thermal.hpp"

namespace quartic::cli {

struct HeatArguments {
  std::optional<double> heat;          ///< [K]
  std::vector<std::string> expansion;  ///< ALPHA, or REGION=ALPHA each

  [[nodiscard]] bool given() const { return heat.has_value(); }
};

void add_heat_options(CLI::App& command, HeatArguments& arguments);

/// @throws UsageError for one without the other, InputError for a region that isn't there or has no expansion
[[nodiscard]] Heating parse_heating(const HeatArguments& arguments, const VolumeMesh& mesh);

/// Gives a scene whose loads are placed the heat of the options. @throws as above, and InputError if a deck has heated
/// it
void set_heat(Scene& scene, const HeatArguments& arguments, const VolumeMesh& mesh);

/// The energy of a reduced body with this heat, if there is any. @throws InputError for a relaxed one
[[nodiscard]] QuarticEnergy heated(const QuarticEnergy& energy, const VolumeMesh& mesh, MatrixRef basis,
                                   bool is_relaxed, const Heating& heating);

}  // namespace quartic::cli
