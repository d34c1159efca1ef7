#include "cli/options/moved_set_options.hpp"

#include <algorithm>

#include "cli/options/arguments.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {
namespace {

std::array<double, 3> parse_direction(const std::string& text) {
  constexpr std::string_view axes = "xyz";
  std::array<double, 3> direction{};
  if (const auto axis = axes.find(text); text.size() == 1 && axis != std::string_view::npos)
    direction[axis] = 1;
  else
    direction = parse_numbers<3>("--move-set", text);
  return direction;
}

std::string value_of(const std::string& text) {
  return text.substr(text.rfind('=') + 1);
}

}  // namespace

void add_moved_set_option(CLI::App& command, std::vector<std::string>& texts) {
  command
      .add_option(
          "--move-set", texts,
          "SET:x=METRES: displacement of a vertex set along x, y, z or a direction x,y,z, or SET:x=FILE.csv with "
          "lines `time,displacement`; may be repeated")
      ->allow_extra_args(false)
      ->group("Loads (added up)");
}

std::vector<std::string> moved_set_files(std::span<const std::string> texts) {
  std::vector<std::string> files;
  for (const std::string& text : texts)
    if (names_file(value_of(text))) files.push_back(value_of(text));
  return files;
}

std::vector<MovedSet> parse_moved_sets(std::span<const std::string> texts) {
  std::vector<MovedSet> sets;
  for (const std::string& text : texts) {
    const auto equals = text.rfind('=');
    const auto colon = text.substr(0, equals).rfind(':');
    if (equals == std::string::npos || colon == std::string::npos || colon == 0 || equals + 1 == text.size())
      throw UsageError("--move-set takes SET:DIRECTION=METRES or SET:DIRECTION=FILE.csv, not '" + text + "'");
    MovedSet& set = sets.emplace_back();
    set.name = "--move-set " + text.substr(0, equals);
    set.set = text.substr(0, colon);
    set.direction = parse_direction(text.substr(colon + 1, equals - colon - 1));
    static_cast<TimeCourse&>(set) = parse_time_course(set.name, value_of(text), "displacement");
  }
  return sets;
}

std::vector<DrivenSet> driven_sets(const VolumeMesh& mesh, std::span<const MovedSet> sets) {
  std::vector<DrivenSet> driven;
  for (const MovedSet& set : sets) driven.push_back({find_vertex_set(mesh, set.set), set.direction, set.name});
  return driven;
}

bool any_moves(std::span<const MovedSet> sets, const Scene& scene) {
  return std::ranges::any_of(sets, [&](const MovedSet& set) { return scene.ramp > 0 || !set.constant(); });
}

std::vector<double> places_at(std::span<const MovedSet> sets, const Scene& scene, double time) {
  std::vector<double> places;
  for (const MovedSet& set : sets) places.push_back(scene.ramp_at(time) * set.at(time));
  return places;
}

std::vector<double> rates_at(std::span<const MovedSet> sets, const Scene& scene, double time) {
  const double growth = scene.ramp > 0 && time < scene.ramp ? 1 / scene.ramp : 0;
  std::vector<double> rates;
  for (const MovedSet& set : sets) rates.push_back(growth * set.at(time) + scene.ramp_at(time) * set.rate_at(time));
  return rates;
}

}  // namespace quartic::cli
