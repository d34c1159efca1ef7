#include "cli/runs/modal_simulation.hpp"

#include "cli/runs/frame_run.hpp"
#include "cli/runs/warped_steps.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

ModalOptions modal_options(const BatchOptions& options) {
  return {.bodies = options.bodies,
          .rayleigh_mass = options.rayleigh_mass,
          .rayleigh_stiffness = options.rayleigh_stiffness,
          .damping_ratios = {},
          .threads = options.threads,
          .backend = options.backend,
          .device = options.device};
}

template <class T>
ModalSimulation frames_of(ModalBatch<T>& batch, const ReducedModel& model, LoadProgram& loads, Warp warp,
                          const SimulationOptions& options, const Progress& progress) {
  using Run = FrameRun<ModalBatch<T>, T>;
  if (warp != Warp::modal) return {.result = Run(batch, loads, options).run(progress)};
  WarpedSteps<T> steps(batch, model, loads.scene(), options.step());
  ModalSimulation simulation{.result = Run(
                                           batch, loads, options, [&] { steps.advance(); }, [&] { steps.look(); })
                                           .run(progress)};
  simulation.largest_rotation = steps.largest_rotation();
  return simulation;
}

template <class T>
ModalSimulation run(const ReducedModel& model, LoadProgram& loads, Warp warp, const SimulationOptions& options,
                    const Progress& progress) {
  ModalBatch<T> batch(model.eigenvalues, modal_options(options.batch));
  std::vector<std::string> warnings;
  if (!options.resume.empty()) warnings = load_checkpoint(batch, options.resume);
  ModalSimulation simulation = frames_of(batch, model, loads, warp, options, progress);
  simulation.overdamped_modes = batch.overdamped_modes();
  SimulationResult& result = simulation.result;
  result.trajectory.coordinates = Coordinates::linear_modes;
  result.trajectory.warp = warp;
  result.resume_warnings = std::move(warnings);
  if (options.checkpoint.empty()) return simulation;
  try {
    save_checkpoint(batch, options.checkpoint);
  } catch (const Error& error) {  // the motion isn't lost
    result.checkpoint_failure = error.what();
  }
  return simulation;
}

}  // namespace

ModalSimulation simulate_modes(const ReducedModel& model, LoadProgram& loads, Warp warp,
                               const SimulationOptions& options, const Progress& progress) {
  require_memory_for_frames(options, model.rank());
  if (options.precision == Precision::single_precision) return run<float>(model, loads, warp, options, progress);
  return run<double>(model, loads, warp, options, progress);
}

}  // namespace quartic::cli
