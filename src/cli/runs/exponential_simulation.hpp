// Nonlinear bodies stepped by exponential steps under a load program, frame by frame.
#pragma once

#include "cli/runs/simulation.hpp"
#include "quartic/energy.hpp"

namespace quartic::cli {

struct ExponentialSimulation {
  SimulationResult result;
  int oscillators = 0;  ///< coordinates that are stepped as such; the others follow at rest
};

/// As `simulate`: bodies start at rest. @throws InputError
[[nodiscard]] ExponentialSimulation simulate_exponentially(const QuarticEnergy& energy, LoadProgram& loads,
                                                           const SimulationOptions& options, const Progress& progress);

}  // namespace quartic::cli
