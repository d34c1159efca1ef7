// Ways of frames that are known beforehand: poses at times, for colliders that an animation moves.
#pragma once

#include <array>
#include <filesystem>
#include <string>
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
/// no number; without a quaternion nothing turns. Or a glTF file (.glb, .gltf), for the poses of a node in its scene by
/// the first animation that moves it, or a node that it hangs on: linear or stepwise translations and rotations.
/// @param node its name in a glTF file; empty: the only one that is moved
/// @throws FileError; ParseError with the line, or for a glTF file without such a node or motion, or where it is scaled
/// or goes along splines; InputError for a node of lines of text
[[nodiscard]] QUARTIC_EXPORT PoseTrack read_pose_track(const std::filesystem::path& path, const std::string& node = {});

}  // namespace quartic
