// The motion of a scene's bodies, frame by frame.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/worlds/world_scene.hpp"
#include "quartic/backend.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

struct WorldRunOptions {
  int threads = 0;
  std::string checkpoint, resume, contacts;  ///< files, or empty
};

/// Sums over all bodies, about the world's origin.
struct WorldSums {
  std::array<double, 3> momentum = {}, angular_momentum = {};
  double elastic_energy = 0, kinetic_energy = 0;
};

struct WorldRun {
  std::vector<Trajectory> motions;  ///< of the models' bodies
  WorldSums start, end;
  CollisionReport collisions;  ///< at the end
  std::int64_t shape_contacts = 0, most_contacts = 0, unsettled_steps = 0;
  double deepest = 0;           ///< of all contacts at ends of frames [m]
  double overlap = 0;           ///< of bodies at the start [m], before they were parted
  double seconds_per_step = 0;  ///< of a substep
  std::vector<std::string> warnings;
};

/// Models that have been read, with a bound tree in each.
[[nodiscard]] std::vector<ReducedModel> read_scene_models(const WorldScene& scene);

/// @throws InputError as of World and let_collide, and for bodies that overlap at the start where that is refused
template <class T>
[[nodiscard]] WorldRun run_world(const WorldScene& scene, const std::vector<ReducedModel>& models,
                                 const WorldRunOptions& options, const Progress& progress);

}  // namespace quartic::cli
