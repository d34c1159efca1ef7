// Hashes of trajectories: whether a change to the library, or another machine, changes a bit of what batches compute.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/fnv1a.hpp"
#include "quartic/batch.hpp"

namespace quartic::measure {

using quartic::hash_text;

/// What moves, and how. Energies, states, forces, damping, load curves and time steps are small integers over powers of
/// two, put together without rounding: the trajectory depends on nothing but the arithmetic of the batch, on no BLAS,
/// eigensolver or mathematical library.
struct HashedMotion {
  bool is_double = false;
  Evaluation evaluation = Evaluation::strict;
  Integrator integrator = Integrator::newmark;
  int rank = 1;
  bool buckles = false;  ///< between two rests: implicit integrators regularise on the way, the explicit one diverges
};

/// "float strict newmark 12", "double latency backward-euler 4 buckling".
[[nodiscard]] std::string name(const HashedMotion& motion);

/// Each precision, evaluation and integrator of the CPU with ranks 1, 4, 12 and 20, and buckling at rank 4. Without the
/// energy-conserving scheme at rank 20, which takes longer than all others together.
[[nodiscard]] std::vector<HashedMotion> hashed_motions();

inline constexpr int hashed_steps = 1000;

struct BodyHash {
  std::uint64_t hash = 0;
  BodyStatus status = BodyStatus::ok;  ///< at the end
};

/// Moves a batch by `steps` steps, ten to a frame, and hashes each body's own trajectory: FNV-1a, 64 bits, of the bytes
/// (little-endian) of q, velocity and acceleration of every frame, and of the status at the end. Every frame and not
/// the last alone, since a damped body that comes to rest forgets what it went through.
/// @param numbers of the bodies: a body's number decides on its start, its force and its damping. An even one is damped
///        and loaded by a curve with a jump; an odd one is free of both. Shape (B), each >= 0
/// @param steps a multiple of 10
/// @return shape (B)
[[nodiscard]] std::vector<BodyHash> body_hashes(const HashedMotion& motion, std::span<const std::int64_t> numbers,
                                                int threads = 1, int steps = hashed_steps);

/// One hash of `hashed_steps` steps of the bodies 0, 1 and 2: FNV-1a of their hashes, one after the other.
[[nodiscard]] std::uint64_t trajectory_hash(const HashedMotion& motion, int threads = 1);

}  // namespace quartic::measure
