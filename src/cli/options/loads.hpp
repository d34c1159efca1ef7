// The forces on a simulated body: gravity and vertex forces, projected on the basis.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quartic/matrix.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

/// A force on one vertex while begin <= t < end.
struct Load {
  std::int32_t vertex = 0;        ///< 0-based
  std::array<double, 3> force{};  ///< [N]
  double begin = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();  ///< [s]

  /// In a step that begins at `time` and is `step` long [s].
  [[nodiscard]] bool acts(double time, double step) const;
};

/// VERTEX,fx,fy,fz[,t0,t1]. @throws UsageError
[[nodiscard]] Load parse_load(const std::string& text);

/// --gravity and --force as they were typed.
struct LoadArguments {
  std::string gravity;
  std::vector<std::string> forces;
};
void add_load_options(CLI::App& command, LoadArguments& arguments);

/// What they stand for.
struct Scene {
  std::array<double, 3> gravity{};  ///< [m/s^2]
  std::vector<Load> loads;

  [[nodiscard]] bool has_gravity() const { return gravity != std::array<double, 3>{}; }
  [[nodiscard]] bool empty() const { return !has_gravity() && loads.empty(); }
};
/// @throws UsageError
[[nodiscard]] Scene parse_scene(const LoadArguments& arguments);
/// @throws InputError if a load's vertex isn't one of `vertex_count`
void require_vertices(const Scene& scene, std::int64_t vertex_count);

/// That --force names a fixed vertex.
[[nodiscard]] std::string fixed_vertex_warning(std::int32_t vertex);

/// A sentence if loads act on fixed vertices, where they do nothing. @param fixed_vertices sorted
[[nodiscard]] std::vector<std::string> warnings_of(const Scene& scene, std::span<const std::int32_t> fixed_vertices);

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
  [[nodiscard]] bool constant() const;
  /// The force for a step that begins at `time` and is `step` long [s]; shape (r).
  [[nodiscard]] const std::vector<double>& at(double time, double step);

 private:
  struct Entry {
    std::vector<double> force;  // U^T f
    Load load;
  };
  std::vector<double> gravity_, sum_;
  std::vector<Entry> entries_;
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
};

}  // namespace quartic::cli
