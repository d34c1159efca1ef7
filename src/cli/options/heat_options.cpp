#include "cli/options/heat_options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "cli/options/arguments.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

void add_heat_options(CLI::App& command, HeatArguments& arguments) {
  const auto heat = "Heat";
  command.add_option("--heat", arguments.heat, "How much warmer the body is than at rest without stress [K]")
      ->group(heat);
  command
      .add_option("--expansion", arguments.expansion,
                  "Coefficient of thermal expansion [1/K] of all regions, or REGION=ALPHA for each")
      ->allow_extra_args(false)
      ->group(heat);
  command.get_option("--heat")->needs("--expansion");
  command.get_option("--expansion")->needs("--heat");
}

Heating parse_heating(const HeatArguments& arguments, const VolumeMesh& mesh) {
  if (!arguments.given()) return {};
  if (!std::isfinite(*arguments.heat)) throw UsageError("--heat must be finite");
  Heating heating{.temperature = {*arguments.heat}};
  constexpr double unset = std::numeric_limits<double>::quiet_NaN();
  heating.expansion.assign(mesh.regions.size(), unset);
  std::set<std::string> seen;
  for (const std::string& text : arguments.expansion) {
    const auto equals = text.rfind('=');
    const bool is_for_all = equals == std::string::npos;
    const double alpha = parse_numbers<1>("--expansion", is_for_all ? text : text.substr(equals + 1))[0];
    const std::string names = is_for_all ? "" : text.substr(0, equals);
    if (!seen.insert(names).second)
      throw UsageError("--expansion: " + (is_for_all ? std::string("all regions") : names) + " is given twice");
    if (is_for_all)
      std::ranges::replace_if(
          heating.expansion, [](double x) { return std::isnan(x); }, alpha);
    else
      for (const std::int32_t region : find_regions(mesh, names))
        heating.expansion[static_cast<std::size_t>(region)] = alpha;
  }
  for (std::size_t region = 0; region < mesh.regions.size(); ++region)
    if (std::isnan(heating.expansion[region]))
      throw InputError("--expansion: region '" + mesh.regions[region].name +
                       "' has none; give REGION=ALPHA for it, or "
                       "ALPHA for all that have no other");
  return heating;
}

void set_heat(Scene& scene, const HeatArguments& arguments, const VolumeMesh& mesh) {
  Heating heating = parse_heating(arguments, mesh);
  if (heating.empty()) return;
  if (!scene.heating.empty())
    throw InputError("--heat: the deck of --loads-of has temperatures of its own; leave one of both away");
  scene.heating = std::move(heating);
}

QuarticEnergy heated(const QuarticEnergy& energy, const VolumeMesh& mesh, MatrixRef basis, bool is_relaxed,
                     const Heating& heating) {
  if (heating.empty()) return energy;
  if (is_relaxed)
    throw InputError("--heat, and temperatures of decks: relaxed strains know no heat; take a model without --relax");
  return heated_energy(energy, mesh, basis, heating);
}

}  // namespace quartic::cli
