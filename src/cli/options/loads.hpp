// The forces on a simulated body over time: gravity, forces on vertices and sets, the acceleration of its base.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quartic/loads.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

/// When a load acts: begin <= t < end [s].
struct LoadTimes {
  double begin = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();

  /// In a step that begins at `time` and is `step` long [s].
  [[nodiscard]] bool contain(double time, double step) const;
  [[nodiscard]] bool are_all() const;
};

/// Forces on vertices, for some time.
struct Load {
  std::string name = "--force";  ///< for messages
  std::vector<PointForce> forces = {};
  LoadTimes times = {};

  [[nodiscard]] bool acts(double time, double step) const { return times.contain(time, step); }
  /// The vertex that stands for it in plots.
  [[nodiscard]] std::int32_t vertex() const { return forces.front().vertex; }
};

/// VERTEX,fx,fy,fz[,t0,t1]. @throws UsageError
[[nodiscard]] Load parse_load(const std::string& text);

/// What acts on a vertex set, before the set's vertices are known.
struct SetLoad {
  enum class Kind : std::uint8_t { force, traction, pressure };
  Kind kind = Kind::force;
  std::string name;  ///< as typed: "--force-set TOP"
  std::string set;
  std::array<double, 3> numbers{};  ///< [N], [Pa], or the pressure [Pa] and zeros
  LoadTimes times = {};
};

/// The options as they were typed.
struct LoadArguments {
  std::string gravity;
  std::vector<std::string> forces, force_sets, traction_sets, pressure_sets, decks;
  std::string base;            ///< file of the base's acceleration
  std::optional<double> ramp;  ///< [s]
};
/// --gravity, --force, --force-set, --traction-set, --pressure-set, --loads-of
void add_load_options(CLI::App& command, LoadArguments& arguments);
/// --ramp, --base: of commands whose loads may change in every step
void add_changing_load_options(CLI::App& command, LoadArguments& arguments);
/// The files that the options name.
[[nodiscard]] std::vector<std::string> input_files(const LoadArguments& arguments);

/// What they stand for.
struct Scene {
  std::array<double, 3> gravity{};  ///< [m/s^2]
  std::vector<Load> loads;
  std::vector<SetLoad> set_loads;  ///< until `place_loads` makes them loads
  std::vector<std::string> decks;  ///< files of loads, likewise
  Heating heating = {};            ///< of decks, once loads are placed
  BaseAcceleration base;
  double ramp = 0;        ///< [s]: gravity and loads grow linearly until then
  double step_share = 1;  ///< where in a step, from 0 to 1, what changes during it is taken

  [[nodiscard]] bool has_gravity() const { return gravity != std::array<double, 3>{}; }
  [[nodiscard]] bool empty() const {
    return !has_gravity() && loads.empty() && set_loads.empty() && decks.empty() && base.empty() && heating.empty();
  }
  /// Forces are the same at all times.
  [[nodiscard]] bool is_constant() const;
  /// The factor of what grows, at a time.
  [[nodiscard]] double ramp_at(double time) const;
  /// The factor of gravity and loads in a step.
  [[nodiscard]] double scale(double time, double step) const;
  /// Of the base in a step [m/s^2].
  [[nodiscard]] std::array<double, 3> base_acceleration(double time, double step) const;
};
/// @throws UsageError, and FileError and ParseError for the base's file
[[nodiscard]] Scene parse_scene(const LoadArguments& arguments);
/// Turns what acts on vertex sets, and loads of decks, into forces on vertices, gravity and heat.
/// @param warnings receives what decks ask for and is left out
/// @throws InputError for a set that isn't there, or that makes up no face where one is needed; FileError, ParseError
void place_loads(Scene& scene, const VolumeMesh& mesh, std::vector<std::string>& warnings);
/// @throws InputError if a load's vertex isn't one of `vertex_count`
void require_vertices(const Scene& scene, std::int64_t vertex_count);

/// @throws InputError if there is a base, but nothing that it holds the model's bodies by
void require_held_base(const Scene& scene, const ReducedModel& model);

/// A sentence for loads that act on nothing but fixed vertices, where they do nothing.
/// @param fixed_vertices sorted
/// @param numbers what vertices are called; empty: as they are
[[nodiscard]] std::vector<std::string> warnings_of(const Scene& scene, std::span<const std::int32_t> fixed_vertices,
                                                   std::span<const std::int32_t> numbers = {});

/// The same for a model, and a sentence if it can't move as gravity would move it, because it is free in some
/// direction.
[[nodiscard]] std::vector<std::string> warnings_of(const Scene& scene, const ReducedModel& model);

/// The reduced force over time, the same for every body.
class LoadProgram {
 public:
  /// @param basis U, shape (3n, r)
  /// @param unit_acceleration U^T M times the unit fields, shape (r, 3)
  /// @throws InputError if a load's vertex isn't in the model
  LoadProgram(MatrixRef basis, const Matrix& unit_acceleration, const Scene& scene);

  /// True if the force is the same at all times.
  [[nodiscard]] bool constant() const { return scene_.is_constant(); }
  /// The force for a step that begins at `time` and is `step` long [s]; shape (r).
  [[nodiscard]] const std::vector<double>& at(double time, double step);
  [[nodiscard]] const Scene& scene() const { return scene_; }

 private:
  Scene scene_;
  Matrix unit_acceleration_;
  std::vector<std::vector<double>> forces_;  // U^T f of each load
  std::vector<double> sum_;
};

/// The force on the vertices of an unreduced body over time.
class VertexLoadProgram {
 public:
  /// @param mass shape (3n, 3n)
  /// @throws InputError if a load's vertex isn't in the mesh
  VertexLoadProgram(const SparseMatrix& mass, Scene scene);

  /// The force for a step that begins at `time` and is `step` long [s]; shape (3n).
  void at(double time, double step, std::span<double> force) const;

 private:
  Scene scene_;
  std::vector<double> gravity_;
  std::array<std::vector<double>, 3> weights_;  // of unit accelerations along x, y, z; empty without a base
};

}  // namespace quartic::cli
