// An unreduced body under a load program: its motion, frame by frame, and the load that an equilibrium is sought for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options/loads.hpp"
#include "cli/options/motion_options.hpp"
#include "cli/options/moved_set_options.hpp"
#include "cli/options/pressure_options.hpp"
#include "quartic/snapshots.hpp"
#include "quartic/unreduced.hpp"

namespace quartic::cli {

/// Ends the sentence "3 elements ..." or "A snapshot has ...".
inline constexpr const char* turned_inside_out =
    "elements that are turned inside out: the load is larger than the material resists";

struct UnreducedMotion {
  Snapshots snapshots;  ///< frames + 1, the first being the start
  BodyStatus status = BodyStatus::ok;
  double first_energy = 0;  ///< elastic and kinetic [J]
  double last_energy = 0;
  double step_seconds = 0;    ///< of one step: the median, since the first analyses the pattern
  std::int64_t inverted = 0;  ///< most elements turned inside out in a frame
  double inverted_since = 0;  ///< time of the first such frame [s]
  std::string factorization;
};

/// How a motion begins, how warm the body is all along, and what is in its chambers.
struct UnreducedStart {
  std::vector<double> displacements = {};  ///< [m], shape (3n); empty: at rest
  Heating heating = {};
  std::span<const Chamber> chambers = {};
  std::span<const PressureProgram> pressures = {};  ///< one for each chamber
  std::span<const MovedSet> moved = {};
  std::span<const DrivenSet> driven = {};  ///< the vertices of each of these
};

/// @param copies how many times the frames lie in memory in what follows
/// @throws InputError, also if the frames don't fit into this machine's memory
[[nodiscard]] UnreducedMotion move_unreduced(const VolumeMesh& mesh, const Supports& supports, MassMatrix mass,
                                             const Scene& scene, const MotionOptions& options, int copies,
                                             const Progress& progress, const UnreducedStart& start = {});

/// The load of a scene as it is at time 0 [N], shape (3n). @throws InputError if there is none, unless that may be
[[nodiscard]] std::vector<double> load_at_start(const SparseMatrix& mass, const Scene& scene, bool may_be_none = false);

}  // namespace quartic::cli
