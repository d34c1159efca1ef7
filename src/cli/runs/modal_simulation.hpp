// A batch of modal bodies stepped through time under a load program, frame by frame.
#pragma once

#include "cli/options/loads.hpp"
#include "cli/runs/simulation.hpp"
#include "quartic/modal_batch.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

struct ModalSimulation {
  SimulationResult result;
  std::int64_t overdamped_modes = 0;
};

/// Bodies start at rest, or where a checkpoint left them.
/// @param model of `modal_model`
/// @param options frames, precision, files of checkpoints; of the batch: bodies, damping, threads, backend, device
/// @throws InputError as `simulate`
[[nodiscard]] ModalSimulation simulate_modes(const ReducedModel& model, LoadProgram& loads,
                                             const SimulationOptions& options, const Progress& progress);

}  // namespace quartic::cli
