// Bodies that fly: which do, and from where they start.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

/// --pose, --velocity, --spin and --hold-frame as they were typed.
struct FlightArguments {
  std::string pose, velocity, spin;
  bool hold_frame = false;
};
void add_flight_options(CLI::App& command, FlightArguments& arguments);

/// How bodies fly: their inertia, and the state that they start from, as `Batch` has it.
struct Flight {
  FrameMoments frame;
  std::array<double, pose_size> pose{};
  std::array<double, twist_size> twist{};  ///< angular velocity in body axes
};

/// @throws InputError for a body whose supports leave it rigid motions, which is simulated neither as held nor as free
void require_held_or_free(const ReducedModel& model);

/// The flight of a model's bodies: where nothing is said, they start at rest in the place of their mesh. None for held
/// models, and with --hold-frame.
/// @param warnings gets a sentence if the quaternion wasn't of unit length
/// @throws UsageError for what isn't numbers; InputError if a held body is told how to fly, a body can neither be held
/// nor fly, or these options can't make it fly
[[nodiscard]] std::optional<Flight> parse_flight(const FlightArguments& arguments, const ReducedModel& model,
                                                 const BatchOptions& options, std::vector<std::string>& warnings);

}  // namespace quartic::cli
