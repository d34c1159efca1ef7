// From a mesh to a cubature on a basis: which points, with which weights.
#pragma once

#include <cstdint>
#include <string_view>

#include "quartic/backend.hpp"
#include "quartic/cubature.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// What weights are fitted to; see docs/cubature.md.
enum class TrainingStates : std::uint8_t {
  mixed,    ///< half of each
  statics,  ///< equilibria under random loads, solved for with all points
  lift      ///< on the manifold of modes and their static derivatives: free of solves
};
/// "mixed", "static" or "lift"; "unknown" for any other value.
[[nodiscard]] QUARTIC_EXPORT std::string_view training_states_name(TrainingStates states);
/// @throws InputError that lists the names
[[nodiscard]] QUARTIC_EXPORT TrainingStates find_training_states(std::string_view name);

struct CubatureOptions {
  ControlVariate base = ControlVariate::stiffness;
  LawTangent tangent = LawTangent::exact;  ///< of evaluations; training and report are with the exact one
  double tolerance = 1e-2;                 ///< in (0, 1), of the training's residual, unless `points` says when to end
  int points = 0;                          ///< T >= 1, whatever the residual is then; 0: by `tolerance`
  int samples = 200;                       ///< >= 4, states to train on
  int fresh_samples = 40;                  ///< >= 4, other states, for the report
  double amplitude = 0.3;  ///< > 0, of the largest states' linear displacement, times the bounding box's diagonal
  TrainingStates states = TrainingStates::mixed;
  bool tangent_rows = true;          ///< also fit K along a random direction per state
  std::int64_t candidates = 20'000;  ///< >= 1: of larger meshes every n-th point can be chosen; sums are of all points
  std::uint64_t seed = 1;            ///< of the random loads, amplitudes and directions
  Progress progress = {};            ///< stages "cubature states", "cubature points" and "cubature report"
};

/// Chooses points and weights w >= 0 by sparse non-negative least squares (An, Kim & James 2008; Farhat et al. 2014;
/// Lawson & Hanson 1974): a row block per state with L^-1 (forces of the points), L L^T = K(0), relative to the whole
/// force, so that the error is measured as energy. Laws are those of the regions. The result doesn't depend on the
/// number of threads. Cost: samples x points x r^2 for states, rows x points x T for the choice.
/// @param basis U, shape (3n, r), orthonormal by mass, of a body whose K(0) is positive definite on it
/// @return with a report on states that it wasn't trained on
/// @throws InputError for options out of range or as full_cubature; NumericalError if no state converges, or if the
/// tolerance isn't reached with all candidates: it tells the best number of points and its error
[[nodiscard]] QUARTIC_EXPORT Cubature train_cubature(const VolumeMesh& mesh, MatrixRef basis,
                                                     const CubatureOptions& options = {});

/// Errors of a cubature of this mesh and basis on `states` equilibria under random loads.
/// @throws as train_cubature
[[nodiscard]] QUARTIC_EXPORT CubatureReport judge_cubature(const VolumeMesh& mesh, MatrixRef basis,
                                                           const Cubature& cubature,
                                                           const CubatureOptions& options = {});

/// The cubature of all quadrature points, each of weight 1: the unreduced forces projected on the basis, exactly. Slow,
/// the reference that trained ones are compared with.
/// @param basis U, shape (3n, r)
/// @throws InputError for a mesh as fem.hpp's functions, for another shape of the basis; also for springs, which no
/// point has, without a control variate
[[nodiscard]] QUARTIC_EXPORT Cubature full_cubature(const VolumeMesh& mesh, MatrixRef basis,
                                                    ControlVariate base = ControlVariate::stiffness);

}  // namespace quartic
