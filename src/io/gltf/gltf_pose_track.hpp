// The way of a node that an animation of a glTF file moves.
#pragma once

#include <string>

#include "io/text/mesh_format.hpp"
#include "quartic/pose_track.hpp"

namespace quartic::io {

[[nodiscard]] bool is_gltf(const std::string& content);

/// The poses of a node in the scene, of the file's first animation that moves it or a node that it hangs on.
/// @param node its name; empty: the only node that an animation moves by itself
/// @throws ParseError for a file that can't be read or has no such node, or where it isn't moved, is scaled, or is
/// moved along splines
[[nodiscard]] PoseTrack read_gltf_pose_track(const MeshFile& file, const std::string& node);

}  // namespace quartic::io
