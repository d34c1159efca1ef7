#include "cli/options/pressure_options.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/options/numbers.hpp"
#include "core/base/letters.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += " '" + name + "'";
  return text.empty() ? " none" : text;
}

constexpr const char* line_form = "; a line of pressures is `time,pressure`, in seconds and pascals";

bool names_file(const std::string& value) {
  return value.size() > 4 && equal_ignoring_case(std::string_view(value).substr(value.size() - 4), ".csv");
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// A line up to its comment, parted at commas; nothing for one that is blank.
std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream rest(trimmed(line.substr(0, line.find('#'))));
  std::vector<std::string> fields;
  for (std::string field; std::getline(rest, field, ',');) fields.push_back(trimmed(field));
  return fields;
}

void read_curve(const std::string& path, PressureProgram& program) {
  std::ifstream file(path);
  if (!file) throw InputError("--pressure " + program.chamber + "=" + path + ": the file can't be read");
  std::string line;
  bool first = true;
  for (std::int64_t number = 1; std::getline(file, line); ++number) {
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    const std::vector<std::string> fields = fields_of(line);
    if (fields.empty()) continue;
    const std::string place = path + ":" + std::to_string(number) + ": ";
    const bool names = std::exchange(first, false) && equal_ignoring_case(fields[0], "time");
    if (fields.size() != 2 || (names && !equal_ignoring_case(fields[1], "pressure")))
      throw InputError(place +
                       (names ? "the columns must be time,pressure in this order"
                              : counted(std::ssize(fields), "field", "fields") + " instead of 2") +
                       line_form);
    if (names) continue;
    try {
      program.times.push_back(parse_numbers<1>("the time", fields[0])[0]);
      program.pressures.push_back(parse_numbers<1>("the pressure", fields[1])[0]);
    } catch (const UsageError& error) {
      throw InputError(place + error.what() + line_form);
    }
    if (program.times.size() > 1 && program.times.back() < program.times.end()[-2])
      throw InputError(place + "times of pressures must ascend");
  }
  if (program.times.empty()) throw InputError(path + ": there is no line `time,pressure`");
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

bool PressureProgram::constant() const {
  return std::ranges::adjacent_find(pressures, std::not_equal_to()) == pressures.end();
}

double PressureProgram::at(double time) const {
  const auto next = std::ranges::upper_bound(times, time);
  if (next == times.begin()) return pressures.front();
  if (next == times.end()) return pressures.back();
  const auto n = static_cast<std::size_t>(next - times.begin());
  const double share = (time - times[n - 1]) / (times[n] - times[n - 1]);
  return pressures[n - 1] + share * (pressures[n] - pressures[n - 1]);
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
    PressureProgram program{.chamber = text.substr(0, equals), .times = {}, .pressures = {}};
    const std::string value = text.substr(equals + 1);
    if (std::ranges::any_of(programs, [&](const PressureProgram& p) { return p.chamber == program.chamber; }))
      throw UsageError("--pressure names the chamber '" + program.chamber + "' twice");
    if (names_file(value)) {
      read_curve(value, program);
    } else {
      program.times = {0};
      program.pressures = {parse_numbers<1>("--pressure " + program.chamber, value)[0]};
    }
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
      ->check(CLI::NonNegativeNumber)
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
