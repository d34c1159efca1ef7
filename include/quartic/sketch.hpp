// Bases from sketches (2005 paper, section 5.2): forces recorded while a user pulls at a body, and the equilibria of
// the unreduced body under them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "quartic/embedding.hpp"
#include "quartic/export.hpp"
#include "quartic/mesh.hpp"
#include "quartic/statics.hpp"

namespace quartic {

/// The forces on vertices at one time of a recording.
struct RecordedLoad {
  double time = 0;                  ///< [s]
  std::vector<VertexForce> forces;  ///< their `body` is 0
};

/// Reads a recording: text lines `time,vertex,fx,fy,fz` (0-based vertex, forces in N), commas or blanks between, `#`
/// for comments, optional column names in the first line. Consecutive lines with the same time are one load.
/// @throws FileError, ParseError for text that isn't a number, a vertex out of range, or times that descend
[[nodiscard]] QUARTIC_EXPORT std::vector<RecordedLoad> read_recorded_loads(const std::filesystem::path& path,
                                                                           std::int64_t vertex_count);
/// Writes such a file, which reads back the same; a load without forces is written as a force of zero.
/// @throws InputError for times that don't ascend, numbers that aren't finite or other bodies than 0; FileError
QUARTIC_EXPORT void write_recorded_loads(std::span<const RecordedLoad> loads, const std::filesystem::path& path);

/// The load on all vertices, forces on one vertex added up [N], shape (3n). @throws InputError for a vertex out of
/// range
[[nodiscard]] QUARTIC_EXPORT std::vector<double> force_vector(std::span<const VertexForce> forces,
                                                              std::int64_t vertex_count);

/// Thins out a recording: selects, in order, the loads that are at least `separation` times the largest load away from
/// the last one selected and from zero, in the Euclidean norm of all forces.
/// @param separation in [0, 1]; 0 keeps all but empty ones
/// @return numbers of loads, ascending
/// @throws InputError if `separation` is out of range
[[nodiscard]] QUARTIC_EXPORT std::vector<std::int64_t> select_loads(std::span<const RecordedLoad> loads,
                                                                    double separation);

/// Equilibria of the unreduced body under one load after the other, each started from the previous equilibrium, since
/// consecutive loads of a recording are close. A load that can't be reached is skipped: the next one starts from the
/// last equilibrium that was found.
/// @param report called with each load's number in `loads` and its equilibrium, in order
/// @throws InputError and NumericalError as StaticSolver::solve
QUARTIC_EXPORT void follow_loads(StaticSolver& solver, std::span<const RecordedLoad> loads, std::int64_t vertex_count,
                                 const std::function<void(std::int64_t, const Equilibrium&)>& report);

}  // namespace quartic
