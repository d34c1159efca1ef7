// What a simulation leaves behind: reduced coordinates over time, and files of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/export.hpp"
#include "quartic/model.hpp"

namespace quartic {

/// Frames of a batch. Frame 0 is the start.
struct Trajectory {
  std::int64_t bodies = 0;
  std::int64_t rank = 0;
  std::vector<double> time = {};        ///< [s], shape (frames)
  std::vector<double> q = {};           ///< shape (frames, B, r), C order
  std::vector<BodyStatus> status = {};  ///< at the end, shape (B)

  [[nodiscard]] std::int64_t frames() const { return static_cast<std::int64_t>(time.size()); }
};

/// `.qtraj`: safetensors with time, q and status. @throws FileError
QUARTIC_EXPORT void save_trajectory(const Trajectory& trajectory, const std::filesystem::path& path);
/// @throws FileError, ParseError
[[nodiscard]] QUARTIC_EXPORT Trajectory load_trajectory(const std::filesystem::path& path);
/// `.csv`: one row per frame of body 0: time,q0,q1,... with 17 digits. @throws FileError
QUARTIC_EXPORT void write_csv(const Trajectory& trajectory, const std::filesystem::path& path);

/// Binary glTF of body 0's boundary surface: for r <= 8 the basis as morph targets with q(t) as animated weights, above
/// that one morph target per frame (baked). @throws FileError, InputError if model and trajectory differ in rank
QUARTIC_EXPORT void write_glb(const ReducedModel& model, const Trajectory& trajectory,
                              const std::filesystem::path& path);

/// A series for ParaView of body 0: `NAME.pvd` names the times and the frames, which are files of their own in a folder
/// beside it, `NAME/NAME_0000.vtu`, ...: the mesh at rest with the point data `displacement` [m]. One frame is in
/// memory at a time. Frames of an earlier series in the folder are replaced as far as the new one goes; nothing else in
/// it is touched. Until all frames are written, they and the .pvd file stay as they were.
/// @throws FileError, InputError if model and trajectory differ in rank or there are no frames
QUARTIC_EXPORT void write_pvd(const ReducedModel& model, const Trajectory& trajectory,
                              const std::filesystem::path& path);

}  // namespace quartic
