// Chambers by name, and the pressures in them over time.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/time_course.hpp"
#include "quartic/chambers.hpp"
#include "quartic/gas.hpp"
#include "quartic/mesh.hpp"

namespace quartic::cli {

/// The chamber that a name means: of the mesh's vertex set of this name; or else the cavity of this name, cavity-1 and
/// so on, or `cavity` for the only one. @throws InputError that lists both
[[nodiscard]] Chamber named_chamber(const VolumeMesh& mesh, const std::string& name);

/// A pressure over time [Pa].
struct PressureProgram : TimeCourse {
  std::string chamber;
};

/// What each says at time 0 [Pa].
[[nodiscard]] std::vector<double> pressures_at_start(std::span<const PressureProgram> programs);

/// --pressure, as often as there are chambers.
void add_pressure_option(CLI::App& command, std::vector<std::string>& pressures);

/// The files that the options name: values that end in .csv, in any case.
[[nodiscard]] std::vector<std::string> pressure_files(std::span<const std::string> texts);

/// What NAME=Pa and NAME=FILE.csv stand for. A file has a line `time,pressure` for each point, `#` for comments, and
/// optional column names in the first line. @throws UsageError for another text, or a chamber that is named twice;
/// InputError as parse_time_course
[[nodiscard]] std::vector<PressureProgram> parse_pressures(std::span<const std::string> texts);

/// A gas in a chamber that keeps p V.
struct GasFilling {
  std::string chamber;
  double pressure = 0;  ///< above the atmosphere's, in the chamber's volume at rest [Pa]
};

struct GasArguments {
  std::vector<std::string> gases;
  double atmosphere = standard_atmosphere;  ///< [Pa]
};

/// --gas, as often as there are chambers, and --atmosphere.
void add_gas_options(CLI::App& command, GasArguments& arguments);

/// What NAME=Pa stands for. @throws UsageError for another text, a chamber that is named twice, or a pressure below a
/// vacuum's
[[nodiscard]] std::vector<GasFilling> parse_gases(const GasArguments& arguments);

}  // namespace quartic::cli
