// What acts on a body: forces, tractions and pressures on faces, the acceleration of its base.
//
// Loads on faces become forces on vertices that do the same work: f_a = integral of phi_a t dA over the faces at rest,
// with the faces' own shape functions, so that resultants and moments are those of t. They are dead loads: they keep
// direction and size while the body deforms, and do the work f . u.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/heating.hpp"

namespace quartic {

struct VolumeMesh;

/// A force on a vertex.
struct PointForce {
  std::int32_t vertex = 0;           ///< 0-based
  std::array<double, 3> force = {};  ///< [N]
};

/// Loads that act together: forces on vertices, which add up, gravity and heat.
struct Loads {
  std::vector<PointForce> forces = {};
  std::array<double, 3> gravity = {};  ///< [m/s^2]
  Heating heating = {};                ///< of vertices and regions; for quartic/thermal.hpp

  [[nodiscard]] bool empty() const { return forces.empty() && gravity == std::array<double, 3>{} && heating.empty(); }
};

// A set of vertices stands for the boundary faces whose vertices are all in it, the middles of their edges included, as
// in supports.hpp. Each vertex counts once. Cost of each: O(elements).

/// A force spread over a set by area: the traction force / area where its vertices make up faces, else even shares.
/// @throws InputError for no vertices, one out of range, or numbers that aren't finite
[[nodiscard]] QUARTIC_EXPORT std::vector<PointForce> spread_force(const VolumeMesh& mesh,
                                                                  std::span<const std::int32_t> vertices,
                                                                  const std::array<double, 3>& force);

/// A traction [Pa] on the faces of a set.
/// @throws InputError as above, or if the set makes up no face
[[nodiscard]] QUARTIC_EXPORT std::vector<PointForce> traction_forces(const VolumeMesh& mesh,
                                                                     std::span<const std::int32_t> vertices,
                                                                     const std::array<double, 3>& traction);

/// A pressure [Pa] on the faces of a set, against their outward normals at rest: f_a = -p integral of phi_a n dA. It
/// presses for p > 0 and doesn't turn with the surface.
/// @throws InputError as `traction_forces`
[[nodiscard]] QUARTIC_EXPORT std::vector<PointForce> pressure_forces(const VolumeMesh& mesh,
                                                                     std::span<const std::int32_t> vertices,
                                                                     double pressure);

/// The area of a set's faces [m^2]; 0 if it makes up none. @throws InputError for a vertex out of range
[[nodiscard]] QUARTIC_EXPORT double face_area(const VolumeMesh& mesh, std::span<const std::int32_t> vertices);

/// The loads of an Abaqus or CalculiX deck's first step: *CLOAD along directions of nodes, *DLOAD as pressures P1, P2,
/// ... and gravity of the whole body, *DSLOAD as pressures and tractions, *TEMPERATURE with the materials' *EXPANSION.
/// They are taken as constant dead loads.
/// @param mesh the deck's own, as `read_mesh` gives it, also without vertices of no element: a model's, for example
/// @param warnings receives a sentence that lists what of the deck's loads is left out, with lines
/// @throws FileError, ParseError as `read_mesh`, or for a file of another format; InputError for another mesh
[[nodiscard]] QUARTIC_EXPORT Loads read_loads(const std::filesystem::path& path, const VolumeMesh& mesh,
                                              std::vector<std::string>& warnings);

/// The load on all vertices, forces on one vertex added up [N], shape (3n): for StaticSolver and UnreducedBody, and U^T
/// of it for a Batch. @throws InputError for a vertex out of range
[[nodiscard]] QUARTIC_EXPORT std::vector<double> force_vector(std::span<const PointForce> forces,
                                                              std::int64_t vertex_count);

/// Resultant of a load.
struct LoadTotals {
  std::array<double, 3> force = {};   ///< [N]
  std::array<double, 3> moment = {};  ///< [N m]
};

/// The sums of f and of (X - point) x f over all vertices, at rest.
/// @param force f [N], shape (3n)
/// @throws InputError for a wrong size
[[nodiscard]] QUARTIC_EXPORT LoadTotals load_totals(const VolumeMesh& mesh, std::span<const double> force,
                                                    const std::array<double, 3>& point = {0, 0, 0});

/// The acceleration of a base over time, as an accelerometer on it or a seismograph records it: linear between
/// samples, zero before the first and after the last.
struct BaseAcceleration {
  std::vector<double> times = {};                         ///< [s], ascending, shape (samples)
  std::vector<std::array<double, 3>> accelerations = {};  ///< [m/s^2], shape (samples, 3)

  [[nodiscard]] bool empty() const { return times.empty(); }
};

/// a(t). A body that the base holds moves relative to it as under the gravity -a(t), exactly, if the base doesn't
/// turn: displacements are those in the base's frame. The force on vertices is `gravity_force(mass, -a)`, the reduced
/// one -`ReducedModel::unit_acceleration` a. @throws InputError unless there is one acceleration for each time
[[nodiscard]] QUARTIC_EXPORT std::array<double, 3> acceleration_at(const BaseAcceleration& base, double time);

/// Numbers over time.
struct TimeTable {
  std::vector<double> times = {};   ///< [s], ascending, shape (rows)
  std::vector<double> values = {};  ///< shape (rows, columns)
};

/// Reads text lines `time,...`: commas or blanks between, `#` for comments, optional column names in the first line.
/// @param columns names of those behind the time, which such a line must have in this order
/// @param may_jump whether two lines may have the same time; the second one holds from then on
/// @throws FileError, ParseError for text that isn't a finite number, times that don't ascend, or no lines
[[nodiscard]] QUARTIC_EXPORT TimeTable read_time_table(const std::filesystem::path& path,
                                                       std::span<const std::string_view> columns,
                                                       bool may_jump = false);

/// Reads a recording: lines `time,ax,ay,az` [s, m/s^2] as above. @throws as above
[[nodiscard]] QUARTIC_EXPORT BaseAcceleration read_base_acceleration(const std::filesystem::path& path);

}  // namespace quartic
