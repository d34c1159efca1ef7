#include "cli/options/pressure_options.hpp"

#include <algorithm>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "core/base/letters.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += " '" + name + "'";
  return text.empty() ? " none" : text;
}

}  // namespace

Chamber named_chamber(const VolumeMesh& mesh, const std::string& name) {
  std::vector<std::string> sets, names;
  for (const auto& entry : mesh.vertex_sets) sets.push_back(entry.first);
  if (mesh.vertex_sets.contains(name)) return find_chamber(mesh, name);
  const auto is_meant = [&](const std::string& set) {
    return mesh.names_ignore_case && equal_ignoring_case(set, name);
  };
  // Under the name that its set has. Where several are meant, find_chamber says so.
  if (const auto set = std::ranges::find_if(sets, is_meant); set != sets.end())
    return find_chamber(mesh, std::ranges::count_if(sets, is_meant) == 1 ? *set : name);
  std::vector<Chamber> cavities = find_cavities(mesh);
  if (name == "cavity" && cavities.size() == 1) {
    cavities[0].name = name;
    return std::move(cavities[0]);
  }
  for (Chamber& cavity : cavities) {
    if (cavity.name == name) return std::move(cavity);
    names.push_back(cavity.name);
  }
  throw InputError("there is no chamber '" + name + "': the mesh's vertex sets are" + listed(sets) +
                   ", and its closed cavities" + listed(names));
}

std::vector<double> pressures_at_start(std::span<const PressureProgram> programs) {
  std::vector<double> pressures;
  for (const PressureProgram& program : programs) pressures.push_back(program.at(0));
  return pressures;
}

void add_pressure_option(CLI::App& command, std::vector<std::string>& pressures) {
  command
      .add_option(
          "--pressure", pressures,
          "NAME=Pa: pressure in a chamber, above that outside, which follows the surface; or NAME=FILE.csv with "
          "lines `time,pressure`; may be repeated")
      ->allow_extra_args(false);
}

std::vector<std::string> pressure_files(std::span<const std::string> texts) {
  std::vector<std::string> files;
  for (const std::string& text : texts)
    if (std::string value = text.substr(text.find('=') + 1); names_file(value)) files.push_back(std::move(value));
  return files;
}

std::vector<PressureProgram> parse_pressures(std::span<const std::string> texts) {
  std::vector<PressureProgram> programs;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw UsageError("--pressure takes NAME=Pa or NAME=FILE.csv, not '" + text + "'");
    PressureProgram program{{}, text.substr(0, equals)};
    if (std::ranges::any_of(programs, [&](const PressureProgram& p) { return p.chamber == program.chamber; }))
      throw UsageError("--pressure names the chamber '" + program.chamber + "' twice");
    static_cast<TimeCourse&>(program) =
        parse_time_course("--pressure " + program.chamber, text.substr(equals + 1), "pressure");
    programs.push_back(std::move(program));
  }
  return programs;
}

void add_gas_options(CLI::App& command, GasArguments& arguments) {
  auto* gas = command.add_option(
      "--gas", arguments.gases,
      "NAME=Pa: a gas in a chamber that keeps p V, by its pressure above the atmosphere at rest; may be repeated");
  gas->allow_extra_args(false);
  command.add_option("--atmosphere", arguments.atmosphere, "Pressure outside of chambers with a gas [Pa]")
      ->check(non_negative_number())
      ->needs(gas)
      ->capture_default_str();
}

std::vector<GasFilling> parse_gases(const GasArguments& arguments) {
  std::vector<GasFilling> fillings;
  for (const std::string& text : arguments.gases) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw UsageError("--gas takes NAME=Pa, not '" + text + "'");
    GasFilling filling{text.substr(0, equals), 0};
    if (std::ranges::any_of(fillings, [&](const GasFilling& other) { return other.chamber == filling.chamber; }))
      throw UsageError("--gas names the chamber '" + filling.chamber + "' twice");
    filling.pressure = parse_numbers<1>("--gas " + filling.chamber, text.substr(equals + 1))[0];
    if (!(filling.pressure + arguments.atmosphere > 0))
      throw UsageError("--gas " + filling.chamber + ": a gas has a pressure above -" +
                       significant(arguments.atmosphere) + " Pa, which is a vacuum");
    fillings.push_back(std::move(filling));
  }
  return fillings;
}

}  // namespace quartic::cli
