#include "cli/options/pressure_options.hpp"

#include <algorithm>
#include <fstream>
#include <optional>

#include "cli/options/arguments.hpp"
#include "core/base/letters.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += " '" + name + "'";
  return text.empty() ? " none" : text;
}

// The numbers of a line `time,pressure`, or nothing.
std::optional<std::vector<double>> numbers_of(const std::string& line) {
  try {
    std::vector<double> numbers = parse_numbers("--pressure", line);
    if (numbers.size() == 2) return numbers;
  } catch (const UsageError&) {
  }
  return std::nullopt;
}

void read_curve(const std::string& path, PressureProgram& program) {
  std::ifstream file(path);
  if (!file) throw InputError("--pressure " + program.chamber + "=" + path + ": the file can't be read");
  std::string line;
  for (std::int64_t number = 1; std::getline(file, line); ++number) {
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (line.empty()) continue;
    const auto numbers = numbers_of(line);
    const std::string place = path + ":" + std::to_string(number) + ": ";
    if (!numbers && program.times.empty() && number == 1) continue;  // the columns' names
    if (!numbers) throw InputError(place + "a line of pressures is `time,pressure`, in seconds and pascals");
    if (!program.times.empty() && (*numbers)[0] < program.times.back())
      throw InputError(place + "times of pressures must ascend");
    program.times.push_back((*numbers)[0]);
    program.pressures.push_back((*numbers)[1]);
  }
  if (program.times.empty()) throw InputError(path + ": there is no line `time,pressure`");
}

}  // namespace

Chamber named_chamber(const VolumeMesh& mesh, const std::string& name) {
  std::vector<std::string> sets, names;
  for (const auto& entry : mesh.vertex_sets) sets.push_back(entry.first);
  const bool is_set = std::ranges::any_of(sets, [&](const std::string& set) {
    return set == name || (mesh.names_ignore_case && equal_ignoring_case(set, name));
  });
  if (is_set) return find_chamber(mesh, name);
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
    if (value.ends_with(".csv")) {
      read_curve(value, program);
    } else {
      program.times = {0};
      program.pressures = {parse_numbers<1>("--pressure " + program.chamber, value)[0]};
    }
    programs.push_back(std::move(program));
  }
  return programs;
}

}  // namespace quartic::cli
