// Ways of frames that are known beforehand: poses at times, for colliders that an animation moves.
#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "quartic/export.hpp"

namespace quartic {

struct PoseTrack {
  std::vector<double> times = {};                 ///< [s], ascending, shape (n), n >= 1
  std::vector<std::array<double, 7>> poses = {};  ///< position [m], quaternion x y z w, shape (n)
};

/// The pose at a time: between two of the track's, positions lie on a line and rotations turn evenly, the short way
/// round; before the first and after the last, it is that one. O(log n).
/// @throws InputError for a track without poses, arrays of two lengths, times that don't ascend, or poses between which
/// the time lies that aren't finite or have a zero quaternion
[[nodiscard]] QUARTIC_EXPORT std::array<double, 7> pose_at(const PoseTrack& track, double time);

/// Text lines `time,x,y,z` or `time,x,y,z,qx,qy,qz,qw`, all of one kind, after a line of these names if the first is
/// no number; without a quaternion nothing turns.
/// @throws FileError, ParseError with the line
[[nodiscard]] QUARTIC_EXPORT PoseTrack read_pose_track(const std::filesystem::path& path);

}  // namespace quartic
