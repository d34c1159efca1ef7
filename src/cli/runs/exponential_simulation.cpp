#include "cli/runs/exponential_simulation.hpp"

#include "cli/runs/frame_run.hpp"
#include "quartic/exponential.hpp"

namespace quartic::cli {

namespace {

template <class T>
ExponentialSimulation run(const QuarticEnergy& energy, LoadProgram& loads, const SimulationOptions& options,
                          const Progress& progress) {
  ExponentialBatch<T> batch(energy, {.bodies = options.batch.bodies,
                                     .rayleigh_mass = options.batch.rayleigh_mass,
                                     .rayleigh_stiffness = options.batch.rayleigh_stiffness,
                                     .threads = options.batch.threads});
  ExponentialSimulation simulation{.result = FrameRun<ExponentialBatch<T>, T>(batch, loads, options).run(progress),
                                   .oscillators = batch.oscillators(options.step())};
  simulation.result.trajectory.flags.assign(batch.flags().begin(), batch.flags().end());
  return simulation;
}

}  // namespace

ExponentialSimulation simulate_exponentially(const QuarticEnergy& energy, LoadProgram& loads,
                                             const SimulationOptions& options, const Progress& progress) {
  require_memory_for_frames(options, energy.rank);
  if (options.precision == Precision::single_precision) return run<float>(energy, loads, options, progress);
  return run<double>(energy, loads, options, progress);
}

}  // namespace quartic::cli
