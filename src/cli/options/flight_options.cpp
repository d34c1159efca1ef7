#include "cli/options/flight_options.hpp"

#include <algorithm>
#include <cmath>

#include "cli/options/arguments.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "core/frame/pose.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

constexpr const char* hold_frame_helps = "; --hold-frame simulates its deformation alone, in a frame at rest";

void refuse_start(const FlightArguments& arguments, const std::string& why) {
  for (const auto& [option, value] :
       {std::pair{"--pose", &arguments.pose}, {"--velocity", &arguments.velocity}, {"--spin", &arguments.spin}})
    if (!value->empty()) throw InputError(std::string(option) + ": " + why);
}

// What flying bodies don't go with.
void require_flight(const BatchOptions& options) {
  if (options.integrator == Integrator::central_differences)
    throw InputError(
        "--integrator central-differences: free bodies can't fly by it, since their kinetic energy depends on the "
        "deformation; take newmark, backward-euler or energy-conserving, or --hold-frame to simulate the deformation "
        "alone");
}

FrameMoments frame_of(const ReducedModel& model) {
  try {
    return free_frame(model);
  } catch (const InputError& error) {
    throw InputError(error.what() + std::string(hold_frame_helps));
  }
}

std::array<double, pose_size> parse_pose(const std::string& text, std::vector<std::string>& warnings) {
  std::array<double, pose_size> pose = parse_numbers<pose_size>("--pose", text);
  // Of tiny numbers, too.
  const double largest = std::max({std::abs(pose[3]), std::abs(pose[4]), std::abs(pose[5]), std::abs(pose[6])});
  if (largest == 0)
    throw UsageError("--pose: the quaternion 0,0,0,0 is no rotation; 0,0,0,1 (x, y, z, w) turns nothing");
  std::for_each(pose.begin() + 3, pose.end(), [&](double& x) { x /= largest; });
  const double scaled = std::hypot(std::hypot(pose[3], pose[4]), std::hypot(pose[5], pose[6]));
  const double length = largest * scaled;
  constexpr double round_off = 1e-6;  // of quaternions with the digits that people and programs print
  if (std::abs(length - 1) > round_off)
    warnings.push_back("--pose: the quaternion has the length " + significant(length) +
                       " and is brought to the length 1");
  std::for_each(pose.begin() + 3, pose.end(), [&](double& x) { x /= scaled; });
  return pose;
}

frame::Vector3<double> in_body_axes(const std::array<double, pose_size>& pose, const std::array<double, 3>& world) {
  const frame::Quaternion<double> rotation{{pose[3], pose[4], pose[5]}, pose[6]};
  return rotate(conjugate(rotation), {world[0], world[1], world[2]});
}

}  // namespace

void add_flight_options(CLI::App& command, FlightArguments& arguments) {
  const auto flight = "Free bodies, which fly";
  CLI::Option* hold = command
                          .add_flag("--hold-frame", arguments.hold_frame,
                                    "Don't let them fly: simulate the deformation alone, in a frame at rest")
                          ->group(flight);
  command
      .add_option("--pose", arguments.pose,
                  "x,y,z,qx,qy,qz,qw: where the mass centre starts [m], and the rotation as a quaternion; else as in "
                  "the mesh")
      ->check(given())
      ->excludes(hold)
      ->group(flight);
  command.add_option("--velocity", arguments.velocity, "x,y,z: of the mass centre at the start [m/s]")
      ->check(given())
      ->excludes(hold)
      ->group(flight);
  command.add_option("--spin", arguments.spin, "x,y,z: angular velocity at the start, in world axes [rad/s]")
      ->check(given())
      ->excludes(hold)
      ->group(flight);
}

void require_held_or_free(const ReducedModel& model) {
  if (!model.supports().empty() && model.rigid_modes > 0)
    throw InputError(
        "this body has " + counted(model.rigid_modes, "rigid motion", "rigid motions") +
        " that its fixed vertices don't hold, and that the model leaves out; fix more vertices, or none (" +
        "quartic reduce --free)" + hold_frame_helps);
}

std::optional<Flight> parse_flight(const FlightArguments& arguments, const ReducedModel& model,
                                   const BatchOptions& options, std::vector<std::string>& warnings) {
  if (arguments.hold_frame) return std::nullopt;
  require_held_or_free(model);
  if (!model.supports().empty()) {
    refuse_start(arguments,
                 "the body is held by supports and can't fly; reduce it without them (quartic reduce --free)");
    return std::nullopt;
  }
  require_flight(options);
  Flight flight{.frame = frame_of(model)};
  const std::array<double, 3>& centre = flight.frame.origin;
  flight.pose = arguments.pose.empty() ? std::array<double, pose_size>{centre[0], centre[1], centre[2], 0, 0, 0, 1}
                                       : parse_pose(arguments.pose, warnings);
  if (!arguments.velocity.empty()) {
    const auto velocity = parse_numbers<3>("--velocity", arguments.velocity);
    std::copy(velocity.begin(), velocity.end(), flight.twist.begin());
  }
  if (!arguments.spin.empty()) {
    const auto spin = in_body_axes(flight.pose, parse_numbers<3>("--spin", arguments.spin));
    flight.twist[3] = spin.x, flight.twist[4] = spin.y, flight.twist[5] = spin.z;
  }
  return flight;
}

}  // namespace quartic::cli
