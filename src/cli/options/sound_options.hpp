// What is struck, and what is heard of it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "quartic/model.hpp"
#include "quartic/sound.hpp"

namespace quartic::cli {

/// The options as they were typed.
struct SoundArguments {
  std::vector<std::string> strikes, weights;
  std::string forces, t60, damping_ratios, signal;
  double rayleigh_mass = 0, rayleigh_stiffness = 0;
  SoundOptions options = {};

  [[nodiscard]] bool has_damping() const {
    return !t60.empty() || !damping_ratios.empty() || rayleigh_mass > 0 || rayleigh_stiffness > 0;
  }
};

/// --strike, --forces, --weights, --signal, --rate, and damping
void add_sound_options(CLI::App& command, SoundArguments& arguments);

/// The files that the options name.
[[nodiscard]] std::vector<std::string> input_files(const SoundArguments& arguments);

/// VERTEX,jx,jy,jz[,t[,length]] of each --strike. @throws UsageError, InputError for a vertex that isn't the model's
[[nodiscard]] std::vector<Strike> parse_strikes(const SoundArguments& arguments, const ReducedModel& model);

/// One channel after the other, of one signal. @throws UsageError, InputError, FileError, ParseError
[[nodiscard]] SoundWeights parse_weights(const SoundArguments& arguments, const ReducedModel& model);

/// The options with the damping that was asked for. @throws UsageError, InputError
[[nodiscard]] SoundOptions parse_sound_options(const SoundArguments& arguments);

}  // namespace quartic::cli
