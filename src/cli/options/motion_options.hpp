// How a body moves: frames and steps, integrator, damping. What `simulate`, `solve` and `compare` share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "quartic/batch.hpp"
#include "quartic/participation.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

struct MotionOptions {
  std::int64_t frames = 100;  ///< after the start
  double frame_time = 0.01;   ///< [s]
  int substeps = 1;
  std::string integrator = "newmark";
  BatchOptions batch = {};          ///< without the integrator
  std::string damping_ratios = {};  ///< F1,RATIO1,F2,RATIO2; empty: Rayleigh's numbers as they are
  double strain_damping = 0;        ///< tau [s], of bodies whose start doesn't bring theirs

  [[nodiscard]] double step() const { return frame_time / substeps; }
};

/// --steps, --dt, --substeps
void add_frame_options(CLI::App& command, MotionOptions& options);
/// What --integrator is for steps of ExponentialBatch, which isn't one of Batch's.
inline constexpr const char* exponential_integrator = "exponential";

/// --integrator, --newton, --rayleigh-mass, --rayleigh-stiffness, --damping-ratios
/// @param exponential whether --integrator may be `exponential_integrator`
void add_integration_options(CLI::App& command, MotionOptions& options, bool exponential = false);

/// --strain-damping
void add_strain_damping_option(CLI::App& command, MotionOptions& options);

/// F1,T1[,F2,T2,...]: frequencies [Hz] and the times in which they lose 60 dB [s]. @throws UsageError, InputError
[[nodiscard]] RayleighDamping parse_decay_times(const std::string& option, const std::string& text);

/// Damping by --t60. @param t60 what was given, or nothing: the damping stays
void set_decay(const std::string& t60, BatchOptions& options);

/// --warp. @param description what it does for the command
void add_warp_option(CLI::App& command, std::string& warp, const std::string& description);
/// @param name one of those that --warp takes
[[nodiscard]] Warp parse_warp(const std::string& name);

/// Where in a step a load is taken that changes during it: at its end by integrators that are implicit in it, else in
/// the middle.
[[nodiscard]] double step_share(Integrator integrator);

/// The options with the integrator that is named there and the damping that the ratios ask for. @throws UsageError for
/// one that an unreduced body can't take
[[nodiscard]] BatchOptions batch_options(const MotionOptions& options, bool unreduced = false);

}  // namespace quartic::cli
