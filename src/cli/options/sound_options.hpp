// What is struck, and what is heard of it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quartic/model.hpp"
#include "quartic/sound.hpp"

namespace quartic::cli {

/// The options as they were typed.
struct SoundArguments {
  std::vector<std::string> strikes, weights;
  std::string forces, contacts, t60, damping_ratios, signal;
  std::optional<std::int64_t> body;       ///< whose contacts sound; none: those of all
  std::optional<double> contact_spacing;  ///< of the points that touched
  double rayleigh_mass = 0, rayleigh_stiffness = 0;
  bool on_surface = false;
  SoundOptions options = {};

  [[nodiscard]] VertexOf vertex_of() const { return on_surface ? VertexOf::surface : VertexOf::mesh; }

  [[nodiscard]] bool has_damping() const {
    return !t60.empty() || !damping_ratios.empty() || rayleigh_mass > 0 || rayleigh_stiffness > 0;
  }
};

/// --strike, --forces, --contacts, --on-surface, --weights, --signal, --rate, and damping
void add_sound_options(CLI::App& command, SoundArguments& arguments);

/// The files that the options name.
[[nodiscard]] std::vector<std::string> input_files(const SoundArguments& arguments);

/// VERTEX,jx,jy,jz[,t[,length]] of each --strike, and what --contacts has from the time 0 on.
/// @throws UsageError, InputError for a vertex or a point that isn't the model's; FileError, ParseError
[[nodiscard]] std::vector<Strike> parse_strikes(const SoundArguments& arguments, const ReducedModel& model);

/// One channel after the other, of one signal. @throws UsageError, InputError, FileError, ParseError
[[nodiscard]] SoundWeights parse_weights(const SoundArguments& arguments, const ReducedModel& model);

/// Those that --strike and --forces count. @throws InputError for --on-surface where none is embedded
[[nodiscard]] std::int64_t vertex_count(const SoundArguments& arguments, const ReducedModel& model);

/// Whether nothing that moves carries the vertex.
[[nodiscard]] bool is_fixed(const ReducedModel& model, std::int64_t vertex, VertexOf vertex_of);

/// The options with the damping that was asked for. @throws UsageError, InputError
[[nodiscard]] SoundOptions parse_sound_options(const SoundArguments& arguments);

}  // namespace quartic::cli
