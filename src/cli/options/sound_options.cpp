#include "cli/options/sound_options.hpp"

#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "cli/options/arguments.hpp"
#include "cli/options/motion_options.hpp"
#include "cli/options/option_checks.hpp"
#include "quartic/error.hpp"
#include "quartic/participation.hpp"

namespace quartic::cli {

namespace {

const std::map<std::string, SoundSignal>& signals() {
  static const std::map<std::string, SoundSignal> names = {{"displacement", SoundSignal::displacement},
                                                           {"velocity", SoundSignal::velocity},
                                                           {"acceleration", SoundSignal::acceleration}};
  return names;
}

constexpr std::string_view pickup = "pickup:", monopole = "monopole:";

/// @throws InputError
std::int64_t vertex_number(double number, const std::string& option, const ReducedModel& model) {
  if (number != std::floor(number) || number < 0 || number >= static_cast<double>(model.mesh.vertex_count()))
    throw InputError(option + ": there is no such vertex; the model has vertices 0 to " +
                     std::to_string(model.mesh.vertex_count() - 1));
  return static_cast<std::int64_t>(number);
}

Strike parse_strike(const std::string& text, const ReducedModel& model) {
  const std::string option = "--strike " + text;
  const std::vector<double> numbers = parse_numbers("--strike", text);
  if (numbers.size() < 4 || numbers.size() > 6)
    throw UsageError("--strike takes VERTEX,jx,jy,jz[,t[,length]]: an impulse [N s] and times [s], not '" + text + "'");
  Strike strike{.vertex = vertex_number(numbers[0], option, model), .impulse = {numbers[1], numbers[2], numbers[3]}};
  strike.time = numbers.size() > 4 ? numbers[4] : 0;
  if (*strike.time < 0) throw InputError(option + ": a strike can't be before the sound begins, at 0 s");
  if (numbers.size() > 5) strike.length = numbers[5];
  if (strike.length < 0) throw InputError(option + ": the length of a strike can't be negative");
  return strike;
}

SoundWeights parse_channel(const std::string& text, const ReducedModel& model) {
  if (text == "constant") return constant_weights(model);
  if (text.starts_with(pickup)) {
    const auto [vertex, x, y, z] = parse_numbers<4>("--weights pickup", text.substr(pickup.size()));
    return pickup_weights(model, vertex_number(vertex, "--weights " + text, model), {x, y, z});
  }
  if (text.starts_with(monopole))
    return monopole_weights(model, parse_numbers<1>("--weights monopole", text.substr(monopole.size()))[0]);
  return read_sound_weights(text);
}

}  // namespace

void add_sound_options(CLI::App& command, SoundArguments& arguments) {
  command.add_option("--strike", arguments.strikes,
                     "VERTEX,jx,jy,jz[,t[,length]]: impulse [N s] at time t [s], of a contact that lasts (a half "
                     "sine); may be repeated");
  command.add_option("--forces", arguments.forces,
                     "Recording of forces (.csv: time,vertex,fx,fy,fz), as `quartic view --record` writes it");
  command.add_option("--weights", arguments.weights,
                     "How loud modes are: constant, pickup:VERTEX,dx,dy,dz, monopole:DISTANCE, or a file with a line "
                     "of numbers per channel; repeated: a channel each");
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
          ->group(damping);
  CLI::Option* ratios = command
                            .add_option("--damping-ratios", arguments.damping_ratios,
                                        "F1,RATIO1,F2,RATIO2: damping ratios at two frequencies [Hz]")
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
  for (const std::string& text : arguments.weights)
    if (text != "constant" && !text.starts_with(pickup) && !text.starts_with(monopole)) files.push_back(text);
  return files;
}

std::vector<Strike> parse_strikes(const SoundArguments& arguments, const ReducedModel& model) {
  std::vector<Strike> strikes;
  for (const std::string& text : arguments.strikes) strikes.push_back(parse_strike(text, model));
  return strikes;
}

SoundWeights parse_weights(const SoundArguments& arguments, const ReducedModel& model) {
  std::vector<SoundWeights> channels;
  for (const std::string& text : arguments.weights) channels.push_back(parse_channel(text, model));
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
