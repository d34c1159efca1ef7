// Vertex sets that are moved along a direction: --move-set.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "cli/options/loads.hpp"
#include "cli/options/time_course.hpp"
#include "quartic/driven.hpp"
#include "quartic/mesh.hpp"

namespace quartic::cli {

/// A set's displacement over time [m].
struct MovedSet : TimeCourse {
  std::string name;  ///< as typed: "--move-set END:x"
  std::string set;
  std::array<double, 3> direction{};
};

/// --move-set, as often as there are sets and directions
void add_moved_set_option(CLI::App& command, std::vector<std::string>& texts);

/// The files that the options name.
[[nodiscard]] std::vector<std::string> moved_set_files(std::span<const std::string> texts);

/// What SET:DIRECTION=METRES and SET:DIRECTION=FILE.csv stand for, DIRECTION being x, y, z or three numbers.
/// @throws UsageError for another text, InputError as parse_time_course
[[nodiscard]] std::vector<MovedSet> parse_moved_sets(std::span<const std::string> texts);

/// The sets' vertices. @throws InputError for a set that isn't there
[[nodiscard]] std::vector<DrivenSet> driven_sets(const VolumeMesh& mesh, std::span<const MovedSet> sets);

/// Whether any of them changes its place after the start.
[[nodiscard]] bool any_moves(std::span<const MovedSet> sets, const Scene& scene);

/// Where the sets are at a time [m], and how fast they are from then on [m/s]: a ramp lets them move, too.
[[nodiscard]] std::vector<double> places_at(std::span<const MovedSet> sets, const Scene& scene, double time);
[[nodiscard]] std::vector<double> rates_at(std::span<const MovedSet> sets, const Scene& scene, double time);

}  // namespace quartic::cli
