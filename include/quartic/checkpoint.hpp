// Checkpoints: stop a simulation and resume it later, bit by bit.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/export.hpp"
#include "quartic/modal_batch.hpp"

namespace quartic {

/// Whether a checkpoint is of bodies with poses, so that a batch that takes it needs BodyGroup::frame.
/// @throws FileError, ParseError if that is no checkpoint
[[nodiscard]] QUARTIC_EXPORT bool checkpoint_has_poses(const std::filesystem::path& path);

/// Whether a checkpoint's bodies are under pressure, so that a batch that takes it needs their BodyGroup::chambers.
/// @throws FileError, ParseError if that is no checkpoint
[[nodiscard]] QUARTIC_EXPORT bool checkpoint_has_pressures(const std::filesystem::path& path);

/// Whether a checkpoint's bodies are damped by strain rates, so that a batch that takes it needs the forms of
/// `set_strain_damping` first.
/// @throws FileError, ParseError if that is no checkpoint
[[nodiscard]] QUARTIC_EXPORT bool checkpoint_has_strain_damping(const std::filesystem::path& path);

/// Writes everything that is needed to resume a batch, except its models, ranges and options: state, forces, status,
/// flags, damping, load curves and time (`.qstate`, docs/format.md), with a checksum. The file is written atomically.
/// @throws FileError; InputError for the pose of a body that hasn't diverged whose quaternion is zero or not finite
template <class T>
QUARTIC_EXPORT void save_checkpoint(const Batch<T>& batch, const std::filesystem::path& path);

/// Restores a batch from a file. With the same groups, energies (also those given by `set_energy`) and options, it
/// continues as the saved one did, bit by bit, with any number of threads.
/// @return a sentence for each of evaluation, integrator and backend that isn't the saved batch's: the motion goes on
/// then, but not with the same bits. Files of older versions don't say what they were made with
/// @throws FileError, ParseError for a damaged file, also where a pose isn't finite or its quaternion zero; InputError
/// if the file is of another precision, or of other groups or energies than the batch; nothing is changed then
template <class T>
QUARTIC_EXPORT std::vector<std::string> load_checkpoint(Batch<T>& batch, const std::filesystem::path& path);

template <class T>
class World;

/// The same of a world: its batch's, and where bodies collide (quartic/collision.hpp) the forces that contacts begin
/// with, in a file that requires the capability `collisions`. Colliders are the caller's, and so are ids.
template <class T>
QUARTIC_EXPORT void save_checkpoint(const World<T>& world, const std::filesystem::path& path);
/// Restores a world of the same groups, ids and options, with the colliders as they were, to go on bit by bit.
/// @throws as that of a batch; InputError for forces of bodies that collide, where this world's don't
template <class T>
QUARTIC_EXPORT std::vector<std::string> load_checkpoint(World<T>& world, const std::filesystem::path& path);

/// The same of modal bodies: state, forces, status, damping and time, in a file that requires the capability `modal`.
/// @throws FileError; InputError while impulses wait
template <class T>
QUARTIC_EXPORT void save_checkpoint(const ModalBatch<T>& batch, const std::filesystem::path& path);
/// Restores a batch of the same modes and damping, to go on bit by bit. @return a sentence if the backend isn't the
/// saved batch's @throws FileError, ParseError for a damaged file; InputError if the file is of another precision, of
/// other bodies, modes or damping, or of a `Batch`; nothing is changed then
template <class T>
QUARTIC_EXPORT std::vector<std::string> load_checkpoint(ModalBatch<T>& batch, const std::filesystem::path& path);

}  // namespace quartic
