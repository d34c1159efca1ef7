// Poses of several bodies over time, as trajectories hold them: what they must be like, and how they follow each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/frame/pose.hpp"
#include "quartic/state.hpp"

namespace quartic {

/// Checks poses of shape (frames, B, 7): finite numbers and unit quaternions. @throws InputError that says where
void require_poses(std::span<const double> poses, std::int64_t frames, std::int64_t bodies);
/// Checks twists of shape (frames, B, 6): finite numbers. @throws InputError
void require_twists(std::span<const double> twists, std::int64_t frames, std::int64_t bodies);

/// One pose, x y z and a quaternion x y z w. @param numbers 7 of them
[[nodiscard]] frame::Pose<double> pose_at(const double* numbers);

/// A body's poses, shape (frames). Each quaternion has the sign with which it is nearer to the one before, so that what
/// interpolates their numbers turns the short way.
/// @param poses as checked by `require_poses`
[[nodiscard]] std::vector<frame::Pose<double>> pose_path(std::span<const double> poses, std::int64_t bodies,
                                                         std::int64_t body);

}  // namespace quartic
