// A reduced body beside the unreduced one: errors of its motion, and how much faster it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/runs/range_findings.hpp"
#include "cli/runs/unreduced_motion.hpp"
#include "cli/runs/watched_vertex.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

/// A basis to be compared, with its energy.
struct Candidate {
  std::string name;          ///< "model", "20 modes"
  std::optional<int> modes;  ///< k, where the basis was made from modes for this comparison
  Matrix basis;              ///< mass-orthonormal, shape (3n, r)
  Matrix unit_acceleration;  ///< U^T M times the unit fields, shape (r, 3)
  QuarticEnergy energy;      ///< relaxed, if there is a relaxation
  std::optional<Relaxation> relaxation = {};
  std::optional<Cubature> cubature = {};  ///< in place of the energy

  [[nodiscard]] int rank() const { return static_cast<int>(basis.cols); }
};

/// The candidate with other shares of its strains relaxed; itself if there are none. @throws InputError for one that
/// doesn't know what could be relaxed
[[nodiscard]] std::vector<Candidate> with_shares(const Candidate& candidate, const std::vector<double>& shares);

/// The candidate without its relaxation.
[[nodiscard]] Candidate unrelaxed(const Candidate& candidate);

/// Relaxes the strains of bases of one body anew. Its stiffness is factorised when it is first asked.
class BodyRelaxer {
 public:
  /// @param model must outlive this object
  BodyRelaxer(const ReducedModel& model, Progress progress) : model_(model), progress_(std::move(progress)) {}
  [[nodiscard]] Relaxation relax(const Matrix& basis, const QuarticEnergy& energy, double share);

 private:
  const ReducedModel& model_;
  Progress progress_;
  std::optional<ElasticSystem> system_;
};

/// The first `rank` coordinates of a candidate. Its strains are relaxed anew, as `reduce` would at this rank: what is
/// dropped is outside of the basis then, and follows as far as the fields that do have a part of it.
[[nodiscard]] Candidate truncated(const Candidate& candidate, int rank, BodyRelaxer& relaxer);

/// Bases of the first k modes of the model's body and their derivatives, for each k, of rank `rank` or as much as the
/// fields have. @param relax whether they are to know what could be relaxed; they are unrelaxed
[[nodiscard]] std::vector<Candidate> candidates_of_modes(const ReducedModel& model, const std::vector<int>& modes,
                                                         int rank, bool relax, const Progress& progress);

/// What candidates are measured with: the unreduced body's displacements.
struct Yardstick {
  Snapshots snapshots;
  WatchedVertex watched = {};
  double step_seconds = 0;               ///< of the unreduced body, per step
  Matrix mass_times_displacements = {};  ///< M u, shape (3n, frames)
  double size = 0;                       ///< sum of |u|_M^2 over all frames
};
[[nodiscard]] Yardstick make_yardstick(Snapshots snapshots, const SparseMatrix& mass, WatchedVertex watched,
                                       double step_seconds);

/// Errors are relative; in the mass norm over all frames, or of the watched vertex.
struct ComparisonRow {
  std::string name = {};
  std::optional<int> modes = {};
  int rank = 0;
  std::optional<double> share = {};            ///< of the strains that is relaxed
  std::optional<double> unrelaxed_error = {};  ///< field_error without it, where that is valid
  bool valid = true;        ///< false: it diverged, or found no equilibrium, and its numbers mean nothing
  bool stable = true;       ///< of an equilibrium
  double field_error = 0;   ///< of the displacements
  double basis_error = 0;   ///< the part of it that no motion within the basis could avoid
  double vertex_error = 0;  ///< largest distance of the watched vertex, relative to its largest displacement
  std::optional<double> amplitude_error = {}, frequency_error = {};  ///< signed
  double step_seconds = 0;                                           ///< per step, on one thread
  double speedup = 0;  ///< the unreduced body's time per step, on all threads, over that
  BodyStatus status = BodyStatus::ok;
  RangeFindings range = {};          ///< elements turned inside out, since when, in how many frames counted
  std::vector<double> watched = {};  ///< displacement of the watched vertex along its direction, shape (frames)
};

/// Moves the candidate under the same loads by the same integrator. One body, Evaluation::latency. Elements are counted
/// in frames that are out of the candidate's range, as find_out does.
[[nodiscard]] ComparisonRow compare_motion(const VolumeMesh& mesh, const Candidate& candidate,
                                           const Yardstick& unreduced, const Scene& scene,
                                           const MotionOptions& options);

/// The same for where the body comes to rest; no frequency, amplitude or time.
[[nodiscard]] ComparisonRow compare_equilibrium(const VolumeMesh& mesh, const Candidate& candidate,
                                                const Yardstick& unreduced, const std::vector<double>& load);

/// The component of a vertex' displacement along the watched direction, for each column.
[[nodiscard]] std::vector<double> watched_signal(const Matrix& displacements, const WatchedVertex& watched);

}  // namespace quartic::cli
