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
  double largest_rotation = 0;  ///< of a vertex in a frame, where modal warping shows it [rad]
};

/// Bodies start at rest, or where a checkpoint left them.
/// @param model of `modal_model`
/// @param warp what the motion is shown as. Under modal warping loads act on the warped shape; under rotation-strain
/// warping as on the linear one, which it only draws
/// @param options frames, precision, files of checkpoints; of the batch: bodies, damping, threads, backend, device
/// @throws InputError as `simulate`
[[nodiscard]] ModalSimulation simulate_modes(const ReducedModel& model, LoadProgram& loads, Warp warp,
                                             const SimulationOptions& options, const Progress& progress);

}  // namespace quartic::cli
