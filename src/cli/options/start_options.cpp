#include "cli/options/start_options.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/values/numbers.hpp"
#include "quartic/driven.hpp"
#include "quartic/error.hpp"
#include "quartic/gas_equilibrium.hpp"
#include "quartic/statics.hpp"

namespace quartic::cli {

namespace {

const auto group = "Start";

bool is_file(const std::string& text) {
  std::error_code error;  // a list of numbers may be too long for a file's name
  return std::filesystem::is_regular_file(text, error);
}

// The numbers of a text file, parted by commas, semicolons, blanks and ends of lines, with commas between.
std::string numbers_in(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw FileError(path + ": can't be opened for reading");
  std::string text, line;
  bool parted = false, comma = true;  // behind the last number; a comma needs one in front of it
  for (std::int64_t number = 1; std::getline(file, line); ++number, parted = true)
    for (const char c : line.substr(0, line.find('#'))) {
      if (c == ' ' || c == '\t' || c == '\r') {
        parted = true;
      } else if (c == ',' || c == ';') {
        if (std::exchange(comma, true))
          throw InputError(path + ":" + std::to_string(number) + ": there is no number in front of '" + c + "'");
      } else {
        if ((parted || comma) && !text.empty()) text += ',';
        text += c;
        parted = comma = false;
      }
    }
  if (text.empty()) throw InputError(path + ": there are no numbers");
  return text;
}

// Coordinates, of which the last ones may be missing and are 0 then.
std::vector<double> coordinates(const std::string& option, const std::string& text, int rank) {
  std::vector<double> numbers(static_cast<std::size_t>(rank));
  if (text.empty()) return numbers;
  const std::vector<double> given =
      is_file(text) ? parse_numbers(option + " " + text, numbers_in(text)) : parse_numbers(option, text);
  if (std::ssize(given) > rank)
    throw InputError(option + ": there are " + std::to_string(given.size()) + " numbers, but the model has rank " +
                     std::to_string(rank));
  std::ranges::copy(given, numbers.begin());
  return numbers;
}

void require_stable(const Equilibrium& end) {
  if (!end.converged)
    throw InputError("--start equilibrium: only " + significant(100 * end.load_factor, 3) +
                     " % of the load could be reached; use a smaller one");
  if (!end.stable) throw InputError("--start equilibrium: that under these loads isn't stable; use smaller ones");
}

// The energy's scale is the loads' inverse one.
std::vector<double> cubature_equilibrium(const Cubature& cubature, LoadProgram& loads, double stiffness_scale,
                                         std::span<const double> driven) {
  if (!driven.empty()) throw InputError("--start equilibrium: a model with a cubature has no moved sets");
  const std::span<const double> load = std::span(loads.at(0, 0)).first(static_cast<std::size_t>(cubature.rank));
  std::vector<double> force(load.begin(), load.end());
  for (double& f : force) f /= stiffness_scale;
  Equilibrium end = reduced_equilibrium(cubature, force);
  require_stable(end);
  return std::move(end.solution);
}

std::vector<double> equilibrium_of(const ReducedModel& model, LoadProgram& loads, double stiffness_scale,
                                   const StartChambers& chambers, std::span<const double> driven) {
  if (model.supports().empty() && model.rigid_modes > 0)
    throw InputError("--start equilibrium: a free body has none; reduce it with supports");
  if (model.cubature) return cubature_equilibrium(*model.cubature, loads, stiffness_scale, driven);
  QuarticEnergy energy = hold_coordinates(model.energy, driven);
  std::vector<EnclosedVolume> held;
  for (const EnclosedVolume& volume : chambers.volumes) held.push_back(hold_coordinates(volume, driven));
  for (double& coefficient : energy.coefficients) coefficient *= stiffness_scale;
  const std::span<const double> force = std::span(loads.at(0, 0)).first(static_cast<std::size_t>(energy.rank));
  Equilibrium end = reduced_equilibrium(energy, held, chambers.pressures, chambers.gases, force);
  require_stable(end);
  end.solution.insert(end.solution.end(), driven.begin(), driven.end());
  return std::move(end.solution);
}

}  // namespace

void add_start_option(CLI::App& command, StartArguments& arguments) {
  command
      .add_option("--start", arguments.start,
                  "rest, or equilibrium: the body at rest under the loads that act at time 0")
      ->check(CLI::IsMember({"rest", "equilibrium"}))
      ->capture_default_str()
      ->group(group);
}

void add_reduced_start_options(CLI::App& command, StartArguments& arguments) {
  add_start_option(command, arguments);
  CLI::Option* start = command.get_option("--start");
  const char* what = ": numbers with commas between, or a text file of them; those that are missing are 0";
  command.add_option("--start-q", arguments.q, "Reduced coordinates q at the start" + std::string(what))
      ->excludes(start)
      ->group(group);
  command.add_option("--start-velocity", arguments.velocity, "Velocity of q at the start" + std::string(what))
      ->group(group);
}

std::vector<std::string> input_files(const StartArguments& arguments) {
  std::vector<std::string> files;
  for (const std::string& text : {arguments.q, arguments.velocity})
    if (is_file(text)) files.push_back(text);
  return files;
}

void check_start(const StartArguments& arguments, const Scene& scene) {
  if (arguments.in_equilibrium() && scene.ramp > 0)
    throw UsageError("--start equilibrium is under the loads of time 0, where --ramp lets them grow from nothing");
}

Scene resting(Scene scene) {
  scene.base = {};
  return scene;
}

std::optional<StartState> parse_start(const StartArguments& arguments, const ReducedModel& model, LoadProgram& loads,
                                      double stiffness_scale, const StartChambers& chambers,
                                      std::span<const double> driven) {
  if (!arguments.in_equilibrium() && arguments.q.empty() && arguments.velocity.empty()) return std::nullopt;
  StartState start{.q = coordinates("--start-q", arguments.q, model.rank()),
                   .velocity = coordinates("--start-velocity", arguments.velocity, model.rank())};
  if (arguments.in_equilibrium()) start.q = equilibrium_of(model, loads, stiffness_scale, chambers, driven);
  return start;
}

}  // namespace quartic::cli
