// A batch stepped through time under a load program, frame by frame.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/contact_options.hpp"
#include "cli/options/flight_options.hpp"
#include "cli/options/loads.hpp"
#include "cli/options/motion_options.hpp"
#include "cli/options/moved_set_options.hpp"
#include "cli/options/pressure_options.hpp"
#include "cli/options/start_options.hpp"
#include "cli/runs/flying_loads.hpp"
#include "cli/runs/range_findings.hpp"
#include "quartic/batch.hpp"
#include "quartic/contact_records.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

enum class Precision : std::uint8_t { single_precision, double_precision };

/// Pressures in the chambers of a model.
struct PressureRun {
  std::vector<EnclosedVolume> volumes;  ///< of all chambers
  std::vector<PressureProgram> programs;
  std::vector<int> chambers;  ///< of each program, by number
  std::vector<double> gas;    ///< p V in each chamber [J], 0 for none; or empty
  double atmosphere = 0;      ///< [Pa]

  /// [Pa], of each chamber.
  [[nodiscard]] std::vector<double> at_start() const {
    const std::vector<double> given = pressures_at_start(programs);
    std::vector<double> pressures(volumes.size());
    for (std::size_t i = 0; i < given.size(); ++i) pressures[static_cast<std::size_t>(chambers[i])] = given[i];
    return pressures;
  }
};

/// Sets that move with the last coordinates of a model.
struct MovedRun {
  std::vector<MovedSet> sets;
  Matrix coordinates;  ///< DrivenModel::coordinates

  [[nodiscard]] int count() const { return static_cast<int>(sets.size()); }
  /// z of displacements, or of their rates.
  [[nodiscard]] std::vector<double> driven(std::span<const double> places) const;
  /// The coordinates at rest where the sets are at time 0, and how fast these move then.
  [[nodiscard]] StartState first_state(const Scene& scene) const;
};

/// How bodies fly, and what drives them.
struct FlyingRun {
  Flight flight;
  FlyingLoads loads;
};

struct SimulationOptions : MotionOptions {
  Precision precision = Precision::double_precision;
  double stiffness_scale = 1;         ///< of all bodies, unless a checkpoint brings theirs
  std::string resume;                 ///< checkpoint to start from; empty: from rest
  std::string checkpoint;             ///< where to leave one at the end; empty: nowhere
  ModelRange range;                   ///< that bodies are watched by in each frame; rank 0: they aren't
  std::optional<FlyingRun> flying;    ///< none: bodies stay in their frame, under the load program
  std::optional<StartState> start;    ///< of q; none: at rest
  PressureRun pressure;               ///< the same for every body
  MovedRun moved;                     ///< likewise
  Matrix damping;                     ///< constant, beside Rayleigh's; empty: none
  StrainForm strain_form;             ///< whose strains damp; rank 0: none
  std::optional<ContactRun> contact;  ///< none: bodies touch nothing
};

/// What bodies touched. Contacts are looked at in each frame.
struct ContactFindings {
  std::int64_t points = 0, bodies = 0;   ///< in contact at the end
  std::array<double, 3> force{};         ///< on all bodies at the end [N]
  double deepest_gap = 0;                ///< of all frames [m], below 0 inside
  std::optional<double> since, deepest;  ///< the first frame with a contact [s], and the one of the deepest
};

/// Energy and momenta of all bodies together.
struct MotionTotals {
  double elastic = 0, kinetic = 0;           ///< [J]; kinetic with the rigid motion of flying bodies
  std::array<double, 3> linear_momentum{};   ///< of flying bodies [kg m/s]
  std::array<double, 3> angular_momentum{};  ///< the sum of what each has about its own mass centre [kg m^2/s]

  [[nodiscard]] double energy() const { return elastic + kinetic; }
};

struct SimulationResult {
  Trajectory trajectory;                     ///< frames + 1, the first being the start
  RangeWatch watch;                          ///< where bodies were out of range
  std::vector<std::string> resume_warnings;  ///< how the checkpoint was made otherwise
  MotionTotals first, last;
  std::optional<ContactFindings> contacts;  ///< none: there was nothing to touch
  std::vector<ContactRecord> records = {};  ///< of contacts, if they are kept
  double step_seconds = 0;                  ///< time spent in steps
  std::string checkpoint_failure = {};      ///< why it couldn't be written; empty: it was, or wasn't asked for
};

/// @throws InputError for a checkpoint of modal bodies, FileError or ParseError for what is no checkpoint
void require_reduced_checkpoint(const std::string& path);

/// Of a model on this basis: whose strain rates damp it.
[[nodiscard]] StrainForm damping_strains(const VolumeMesh& mesh, MatrixRef basis,
                                         const std::optional<Relaxation>& relaxation);

/// Bodies start at rest, as the start and the flight say, or where a checkpoint left them. @throws InputError, also if
/// the frames don't fit into this machine's memory
[[nodiscard]] SimulationResult simulate(const ForceModel& forces, LoadProgram& loads, const SimulationOptions& options,
                                        const Progress& progress);

}  // namespace quartic::cli
