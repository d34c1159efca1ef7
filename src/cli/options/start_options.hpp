// Where bodies start that don't start at rest: in equilibrium, or from given coordinates and velocities.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options/loads.hpp"
#include "quartic/enclosed_volume.hpp"
#include "quartic/gas.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

/// --start, --start-q, --start-velocity as they were typed.
struct StartArguments {
  std::string start = "rest", q, velocity;

  [[nodiscard]] bool in_equilibrium() const { return start == "equilibrium"; }
};

/// --start rest or equilibrium
void add_start_option(CLI::App& command, StartArguments& arguments);
/// The same, and --start-q and --start-velocity.
void add_reduced_start_options(CLI::App& command, StartArguments& arguments);

/// The files that the options name.
[[nodiscard]] std::vector<std::string> input_files(const StartArguments& arguments);

/// @throws UsageError if the loads of an equilibrium grow from nothing
void check_start(const StartArguments& arguments, const Scene& scene);

/// The loads that a body rests under before a motion begins: those at time 0, with the base at rest.
[[nodiscard]] Scene resting(Scene scene);

/// State of a reduced body at the start, shape (r) each.
struct StartState {
  std::vector<double> q, velocity;
};

/// What is in the chambers of a model at the start.
struct StartChambers {
  std::vector<EnclosedVolume> volumes = {};
  std::vector<double> pressures = {};  ///< [Pa], of each
  Gases gases = {};                    ///< of each, or none
};

/// @param loads of `resting` loads
/// @param stiffness_scale that the energy is multiplied with
/// @param driven where the model's last coordinates are held, if it has any that are driven
/// @return nothing for rest
/// @throws InputError for numbers that can't be read or are too many, or if there is no stable equilibrium
[[nodiscard]] std::optional<StartState> parse_start(const StartArguments& arguments, const ReducedModel& model,
                                                    LoadProgram& loads, double stiffness_scale = 1,
                                                    const StartChambers& chambers = {},
                                                    std::span<const double> driven = {});

}  // namespace quartic::cli
