#include "cli/options/sound_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/options/contact_options.hpp"
#include "cli/options/motion_options.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "quartic/contact_records.hpp"
#include "quartic/error.hpp"
#include "quartic/participation.hpp"
#include "quartic/pose_track.hpp"
#include "quartic/sketch.hpp"

namespace quartic::cli {

namespace {

const std::map<std::string, SoundSignal>& signals() {
  static const std::map<std::string, SoundSignal> names = {{"displacement", SoundSignal::displacement},
                                                           {"velocity", SoundSignal::velocity},
                                                           {"acceleration", SoundSignal::acceleration}};
  return names;
}

constexpr std::string_view pickup = "pickup:", monopole = "monopole:";

/// A number of one of the first `count`. @throws InputError
std::int64_t vertex_number(double number, const std::string& option, const SoundArguments& arguments,
                           const ReducedModel& model) {
  const std::int64_t count = vertex_count(arguments, model);
  if (number != std::floor(number) || number < 0 || number >= static_cast<double>(count))
    throw InputError(option + ": there is no such vertex; the " +
                     (arguments.on_surface ? "embedded surface" : "model") + " has vertices 0 to " +
                     std::to_string(count - 1));
  return static_cast<std::int64_t>(number);
}

Strike parse_strike(const std::string& text, const SoundArguments& arguments, const ReducedModel& model) {
  const std::string option = "--strike " + text;
  const std::vector<double> numbers = parse_numbers("--strike", text);
  if (numbers.size() < 4 || numbers.size() > 6)
    throw UsageError("--strike takes VERTEX,jx,jy,jz[,t[,length]]: an impulse [N s] and times [s], not '" + text + "'");
  Strike strike{.vertex = vertex_number(numbers[0], option, arguments, model),
                .impulse = {numbers[1], numbers[2], numbers[3]},
                .vertex_of = arguments.vertex_of()};
  strike.time = numbers.size() > 4 ? numbers[4] : 0;
  if (*strike.time < 0) throw InputError(option + ": a strike can't be before the sound begins, at 0 s");
  if (numbers.size() > 5) strike.length = numbers[5];
  if (strike.length < 0) throw InputError(option + ": the length of a strike can't be negative");
  return strike;
}

void append_contacts(const SoundArguments& arguments, const ReducedModel& model, std::vector<Strike>& strikes) {
  const std::vector<ContactRecord> records = read_contact_records(arguments.contacts);
  try {
    for (const Strike& strike :
         contact_strikes(model, contact_tree(model, arguments.contact_spacing), records, arguments.body))
      if (*strike.time >= 0) strikes.push_back(strike);
  } catch (const InputError& error) {
    throw InputError("--contacts " + arguments.contacts + ": " + error.what());
  }
}

/// A pickup or listener that moves: what is behind the colon is a file, unless it begins with a number.
bool is_file_of_weights(std::string_view behind) {
  const std::string_view first = behind.substr(0, behind.find(','));
  double number = 0;
  const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), number);
  return !first.empty() && (error != std::errc() || end != first.data() + first.size());
}

/// What is behind the colon, if it is a file; else empty.
std::string path_of(const std::string& text) {
  for (const std::string_view kind : {pickup, monopole})
    if (text.starts_with(kind)) return is_file_of_weights(text.substr(kind.size())) ? text.substr(kind.size()) : "";
  return text == "constant" ? "" : text;
}

/// A line per time: time,vertex,dx,dy,dz.
SoundWeights moving_pickup(const std::string& path, const SoundArguments& arguments, const ReducedModel& model) {
  std::vector<double> times;
  std::vector<SoundWeights> weights;
  for (const RecordedLoad& at : read_recorded_loads(path, vertex_count(arguments, model))) {
    if (at.forces.size() != 1)
      throw InputError(path + ": a pickup is at one vertex at a time; there are several lines of the time " +
                       significant(at.time, 9));
    times.push_back(at.time);
    weights.push_back(pickup_weights(model, at.forces[0].vertex, at.forces[0].force, arguments.vertex_of()));
  }
  if (times.empty()) throw InputError(path + ": there are no lines time,vertex,dx,dy,dz");
  return moving_weights(times, weights);
}

/// A line per time: time,x,y,z.
SoundWeights walking_listener(const std::string& path, const ReducedModel& model) {
  const PoseTrack track = read_pose_track(path);
  std::vector<std::array<double, 3>> positions;
  for (const std::array<double, 7>& pose : track.poses) positions.push_back({pose[0], pose[1], pose[2]});
  return listener_weights(model, track.times, positions);
}

SoundWeights parse_channel(const std::string& text, const SoundArguments& arguments, const ReducedModel& model) {
  if (text == "constant") return constant_weights(model);
  const std::string path = path_of(text);
  if (text.starts_with(pickup)) {
    if (!path.empty()) return moving_pickup(path, arguments, model);
    const auto [vertex, x, y, z] = parse_numbers<4>("--weights pickup", text.substr(pickup.size()));
    return pickup_weights(model, vertex_number(vertex, "--weights " + text, arguments, model), {x, y, z},
                          arguments.vertex_of());
  }
  if (text.starts_with(monopole))
    return path.empty()
               ? monopole_weights(model, parse_numbers<1>("--weights monopole", text.substr(monopole.size()))[0])
               : walking_listener(path, model);
  SoundWeights weights = read_sound_weights(path);
  const std::int64_t numbers = std::ssize(weights.values) / (weights.moments() * weights.channels);
  if (numbers != model.linear_modes.cols)
    throw InputError(path + ": its lines have " + counted(numbers, "number", "numbers") + ", but the model has " +
                     counted(model.linear_modes.cols, "mode", "modes") + "; give each a number");
  return weights;
}

}  // namespace

void add_sound_options(CLI::App& command, SoundArguments& arguments) {
  command.add_option("--strike", arguments.strikes,
                     "VERTEX,jx,jy,jz[,t[,length]]: impulse [N s] at time t [s], of a contact that lasts (a half "
                     "sine); may be repeated");
  command.add_option("--forces", arguments.forces,
                     "Recording of forces (.csv: time,vertex,fx,fy,fz), as `quartic view --record` writes it");
  command.add_option("--contacts", arguments.contacts,
                     "What contacts did (.csv), as `quartic simulate --contacts` writes it, of the same model");
  command.add_option("--body", arguments.body, "Whose contacts sound, from 0; else all bodies' together")
      ->check(CLI::NonNegativeNumber)
      ->needs("--contacts");
  command.add_option("--contact-spacing", arguments.contact_spacing, "The spacing that the simulation had [m]")
      ->check(positive_number())
      ->needs("--contacts");
  command.add_flag("--on-surface", arguments.on_surface,
                   "Vertices of strikes, forces and pickups are those of the embedded surface, not of the mesh");
  command.add_option("--weights", arguments.weights,
                     "How loud modes are: constant, pickup:VERTEX,dx,dy,dz, monopole:DISTANCE, or a file with a line "
                     "of numbers per channel, with lines `time T` between if they change; of what moves "
                     "pickup:FILE.csv (time,vertex,dx,dy,dz) and monopole:FILE.csv (time,x,y,z of the listener); "
                     "repeated: a channel each");
  command
      .add_option("--signal", arguments.signal,
                  "displacement, velocity or acceleration instead of what the weights are for")
      ->check(CLI::IsMember(signals()));
  command.add_option("--rate", arguments.options.rate, "Samples per second")
      ->check(positive_number())
      ->capture_default_str();
  const auto damping = "Damping";
  CLI::Option* t60 =
      command.add_option("--t60", arguments.t60, "F1,T1[,F2,T2,...]: times T [s] in which modes at F [Hz] lose 60 dB")
          ->check(given())
          ->group(damping);
  CLI::Option* ratios = command
                            .add_option("--damping-ratios", arguments.damping_ratios,
                                        "F1,RATIO1,F2,RATIO2: damping ratios at two frequencies [Hz]")
                            ->check(given())
                            ->excludes(t60)
                            ->group(damping);
  command.add_option("--rayleigh-mass", arguments.rayleigh_mass, "Damping by the mass matrix [1/s]")
      ->check(non_negative_number())
      ->excludes(t60)
      ->excludes(ratios)
      ->group(damping);
  command.add_option("--rayleigh-stiffness", arguments.rayleigh_stiffness, "Damping by the stiffness matrix [s]")
      ->check(non_negative_number())
      ->excludes(t60)
      ->excludes(ratios)
      ->group(damping);
}

std::vector<std::string> input_files(const SoundArguments& arguments) {
  std::vector<std::string> files;
  if (!arguments.forces.empty()) files.push_back(arguments.forces);
  if (!arguments.contacts.empty()) files.push_back(arguments.contacts);
  for (const std::string& text : arguments.weights)
    if (std::string path = path_of(text); !path.empty()) files.push_back(std::move(path));
  return files;
}

std::int64_t vertex_count(const SoundArguments& arguments, const ReducedModel& model) {
  if (!arguments.on_surface) return model.mesh.vertex_count();
  if (!model.surface)
    throw InputError("--on-surface: the model has no embedded surface; reduce it with --surface, or leave this out");
  return model.surface->vertex_count();
}

bool is_fixed(const ReducedModel& model, std::int64_t vertex, VertexOf vertex_of) {
  const auto holds = [&](std::int64_t v) { return std::ranges::binary_search(model.fixed_vertices, v); };
  if (vertex_of == VertexOf::mesh) return holds(vertex);
  for (std::int64_t place = vertex * model.surface->width; place < (vertex + 1) * model.surface->width; ++place)
    if (const auto n = static_cast<std::size_t>(place);
        model.surface->weights[n] != 0 && !holds(model.surface->volume_vertices[n]))
      return false;
  return true;
}

std::vector<Strike> parse_strikes(const SoundArguments& arguments, const ReducedModel& model) {
  std::vector<Strike> strikes;
  for (const std::string& text : arguments.strikes) strikes.push_back(parse_strike(text, arguments, model));
  if (!arguments.contacts.empty()) append_contacts(arguments, model, strikes);
  return strikes;
}

SoundWeights parse_weights(const SoundArguments& arguments, const ReducedModel& model) {
  std::vector<SoundWeights> channels;
  for (const std::string& text : arguments.weights) channels.push_back(parse_channel(text, arguments, model));
  if (channels.empty()) channels.push_back(constant_weights(model));
  if (!arguments.signal.empty())
    for (SoundWeights& weights : channels) weights.signal = signals().at(arguments.signal);
  return stacked(channels);
}

SoundOptions parse_sound_options(const SoundArguments& arguments) {
  SoundOptions options = arguments.options;
  options.damping = {arguments.rayleigh_mass, arguments.rayleigh_stiffness};
  if (!arguments.t60.empty()) options.damping = parse_decay_times("--t60", arguments.t60);
  if (!arguments.damping_ratios.empty()) {
    const auto [f1, ratio1, f2, ratio2] = parse_numbers<4>("--damping-ratios", arguments.damping_ratios);
    options.damping = rayleigh_damping({f1, ratio1}, {f2, ratio2});
  }
  return options;
}

}  // namespace quartic::cli
