// A linear mode as a motion.
#pragma once

#include <cstdint>

#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

struct MovingMode {
  ReducedModel model;     ///< whose basis is the mode alone, 1 m at the vertex that it moves most
  Trajectory trajectory;  ///< one period, whose last frame is the first again
  double frequency = 0;   ///< the mode's [Hz]
};

/// @param number of the linear mode, counted from 1
/// @param amplitude of the vertex that it moves most [m]
/// @param period how long one swing takes in the trajectory [s]
/// @throws InputError if the model has no such mode
[[nodiscard]] MovingMode moving_mode(const ReducedModel& model, std::int64_t number, double amplitude, double period);

/// A tenth of the diagonal of the box around the mesh [m].
[[nodiscard]] double default_amplitude(const VolumeMesh& mesh);

}  // namespace quartic::cli
