// A batch stepped through time under a load program, frame by frame.
#pragma once

#include <cstdint>
#include <string>

#include "cli/options/loads.hpp"
#include "cli/options/motion_options.hpp"
#include "cli/runs/range_findings.hpp"
#include "quartic/batch.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

enum class Precision : std::uint8_t { single_precision, double_precision };

struct SimulationOptions : MotionOptions {
  Precision precision = Precision::double_precision;
  std::string resume;      ///< checkpoint to start from; empty: from rest
  std::string checkpoint;  ///< where to leave one at the end; empty: nowhere
  ModelRange range;        ///< that bodies are watched by in each frame; rank 0: they aren't
};

struct SimulationResult {
  Trajectory trajectory;                     ///< frames + 1, the first being the start
  RangeWatch watch;                          ///< where bodies were out of range
  std::vector<std::string> resume_warnings;  ///< how the checkpoint was made otherwise
  double first_energy = 0;                   ///< elastic and kinetic, sum over all bodies [J]
  double last_energy = 0;
  double step_seconds = 0;              ///< time spent in steps
  std::string checkpoint_failure = {};  ///< why it couldn't be written; empty: it was, or wasn't asked for
};

/// Bodies start at rest or where a checkpoint left them. @throws InputError, also if the frames don't fit into this
/// machine's memory
[[nodiscard]] SimulationResult simulate(const QuarticEnergy& energy, LoadProgram& loads,
                                        const SimulationOptions& options, const Progress& progress);

}  // namespace quartic::cli
