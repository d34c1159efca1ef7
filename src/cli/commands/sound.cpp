// `quartic sound`: what a model sounds like that is struck, as a WAV file.
#include "quartic/sound.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/body_options.hpp"
#include "cli/options/sound_options.hpp"
#include "cli/reports/output_writer.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/plots.hpp"
#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"
#include "cli/values/option_checks.hpp"
#include "play/player.hpp"
#include "quartic/error.hpp"
#include "quartic/sketch.hpp"

namespace quartic::cli {

namespace {

struct SoundCommand {
  std::string model, output, plot;
  SoundArguments sound;
  double duration = 3;
  std::optional<double> gain;
  int pcm = 0;
  bool play = false, json = false;
};

void check(const SoundCommand& arguments) {
  if (arguments.output.empty() && !arguments.play) throw UsageError("say where to: -o FILE.wav, or --play");
  std::vector<std::string> outputs;
  if (!arguments.output.empty()) {
    require_output(arguments.output, {".wav"});
    outputs.push_back(arguments.output);
  }
  if (!arguments.plot.empty()) {
    require_output(arguments.plot, {".svg"});
    outputs.push_back(arguments.plot);
  }
  std::vector<std::string> inputs = input_files(arguments.sound);
  inputs.push_back(arguments.model);
  require_distinct(outputs, inputs);
  if (arguments.sound.strikes.empty() && arguments.sound.forces.empty() && arguments.sound.contacts.empty())
    throw UsageError("say what sounds: --strike VERTEX,jx,jy,jz, --forces FILE.csv or --contacts FILE.csv");
}

std::vector<std::string> warnings_of(const SoundCommand& arguments, const ReducedModel& model,
                                     const std::vector<Strike>& strikes, const std::vector<RecordedLoad>& recording) {
  std::vector<std::string> warnings;
  std::set<std::int64_t> fixed;
  for (const Strike& strike : strikes)
    if (is_fixed(model, strike.vertex, strike.vertex_of) && fixed.insert(strike.vertex).second)
      warnings.push_back("vertex " + std::to_string(strike.vertex) + " is fixed: striking it makes no sound");
  const auto late = std::ranges::count_if(
      strikes, [&](const Strike& strike) { return strike.time.value_or(0) >= arguments.duration; });
  if (late > 0)
    warnings.push_back(counted(late, "strike comes", "strikes come") + " after the end of the sound, at " +
                       significant(arguments.duration) + " s; take a longer --duration");
  if (!recording.empty() && recording.back().time > arguments.duration)
    warnings.push_back(arguments.sound.forces + " goes on until " + significant(recording.back().time) +
                       " s, after the end of the sound, at " + significant(arguments.duration) +
                       " s; take a longer --duration");
  if (!arguments.sound.has_damping())
    warnings.emplace_back("nothing is damped, so that it rings for ever; give --t60 FREQUENCY,SECONDS");
  return warnings;
}

std::vector<std::string> modal_warnings(const AudibleModes& modes) {
  std::vector<std::string> warnings;
  if (modes.above > 0)
    warnings.push_back(counted(modes.above, "mode", "modes") +
                       " above 0.45 of the rate left out; a higher --rate has them");
  if (modes.overdamped > 0)
    warnings.push_back(counted(modes.overdamped, "mode", "modes") + " left out that creep and don't swing");
  if (modes.audible == 0) warnings.emplace_back("no mode is left that could be heard: there is silence");
  return warnings;
}

double peak_of(const Sound& sound) {
  float peak = 0;
  for (const float x : sound.samples) peak = std::max(peak, std::abs(x));
  return double{peak};
}

/// @return the factor
double make_loud(Sound& sound, const std::optional<double>& gain) {
  if (!gain) return normalize(sound);
  for (float& x : sound.samples) x = static_cast<float>(double{x} * *gain);
  return *gain;
}

/// The first channel over time.
io::Plot waveform(const Sound& sound, const std::string& title) {
  io::Plot plot{.title = title, .x_label = "time [s]", .y_label = "sample", .x = {}, .lines = {{"", {}}}};
  for (std::int64_t n = 0; n < sound.frames(); ++n) {
    plot.x.push_back(static_cast<double>(n) / sound.rate);
    plot.lines[0].y.push_back(double{sound.samples[static_cast<std::size_t>(n * sound.channels)]});
  }
  return plot;
}

void report(const SoundCommand& arguments, const Sound& sound, double gain, std::int64_t clipped,
            const std::vector<std::string>& warnings, const OutputWriter& writer) {
  const double seconds = static_cast<double>(sound.frames()) / sound.rate;
  if (arguments.json)
    return print_json({{"rate", sound.rate},
                       {"channels", sound.channels},
                       {"frames", sound.frames()},
                       {"gain", gain},
                       {"peak", peak_of(sound)},
                       {"clipped", clipped},
                       {"modes",
                        {{"audible", sound.modes.audible},
                         {"rigid", sound.modes.rigid},
                         {"above", sound.modes.above},
                         {"overdamped", sound.modes.overdamped}}},
                       {"warnings", warnings},
                       {"files", writer.written()},
                       {"failures", writer.failures()}});
  std::cout << arguments.model << ": " << significant(seconds) << " s of sound, "
            << counted(sound.channels, "channel", "channels") << " at " << significant(sound.rate, 6) << " Hz\n";
  print_line("modes", std::to_string(sound.modes.audible) + " heard; left out " + std::to_string(sound.modes.rigid) +
                          " rigid, " + std::to_string(sound.modes.above) + " too high, " +
                          std::to_string(sound.modes.overdamped) + " overdamped");
  print_line("gain", significant(gain, 4) + ", peak " + significant(peak_of(sound), 3));
  for (const std::string& file : writer.written()) print_line("written", written_text(file));
}

void run(const SoundCommand& arguments) {
  check(arguments);
  const SoundOptions options = parse_sound_options(arguments.sound);
  const ReducedModel model = load_modal_model(arguments.model);
  print_warnings(model.notices);
  const std::vector<Strike> strikes = parse_strikes(arguments.sound, model);
  std::vector<RecordedLoad> recording;
  if (!arguments.sound.forces.empty())
    recording = read_recorded_loads(arguments.sound.forces, vertex_count(arguments.sound, model));
  std::vector<std::string> warnings = warnings_of(arguments, model, strikes, recording);
  Sound sound = render_sound(model, strikes, arguments.duration, parse_weights(arguments.sound, model), options,
                             recording, arguments.sound.vertex_of());
  const double gain = make_loud(sound, arguments.gain);
  OutputWriter writer;
  std::int64_t clipped = 0;
  const WavFormat format = arguments.pcm == 16   ? WavFormat::pcm16
                           : arguments.pcm == 24 ? WavFormat::pcm24
                                                 : WavFormat::float32;
  if (!arguments.output.empty())
    writer.write(arguments.output, [&] { clipped = write_wav(sound, arguments.output, format); });
  if (!arguments.plot.empty())
    writer.write(arguments.plot, [&] { write_plot(waveform(sound, arguments.model), arguments.plot); });
  for (std::string& warning : modal_warnings(sound.modes)) warnings.push_back(std::move(warning));
  if (clipped > 0)
    warnings.push_back(counted(clipped, "sample", "samples") + " beyond full scale, cut off; use a smaller --gain");
  print_warnings(warnings);
  report(arguments, sound, gain, clipped, warnings, writer);
  std::cout.flush();
  if (arguments.play) play::play(sound);
  writer.require_all();
}

}  // namespace

void add_sound(CLI::App& app) {
  auto arguments = std::make_shared<SoundCommand>();
  CLI::App* command = app.add_subcommand("sound", "Strike a model and hear its linear modes");
  command->add_option("MODEL", arguments->model, "Model (.qrt) of `quartic reduce` or `quartic modes`")->required();
  command->add_option("-o,--output", arguments->output, "Sound (.wav)");
  command->add_flag("--play", arguments->play, "Play the sound through this machine's audio device");
  add_sound_options(*command, arguments->sound);
  command->add_option("--duration", arguments->duration, "Length of the sound [s]")
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--gain", arguments->gain, "Factor of all samples, instead of one that makes the peak 0.89")
      ->check(finite_number());
  command->add_option("--pcm", arguments->pcm, "Bits of whole numbers in the file, 16 or 24, instead of floats")
      ->check(CLI::IsMember({16, 24}));
  command->add_option("--plot", arguments->plot, "Plot (.svg) of the first channel");
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  command->footer(
      "Example:\n  quartic sound bowl.qrt --strike 812,0,0,-0.1 --t60 200,2,4000,0.4 -o bowl.wav\n"
      "  quartic sound bowl.qrt --strike 812,0,0,-0.1,0.5,0.001 --weights pickup:40,0,0,1 --rate 48000 -o bowl.wav\n"
      "  quartic sound bowl.qrt --strike 812,0,0,-0.1 --weights monopole:walk.csv -o passing.wav");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace quartic::cli
