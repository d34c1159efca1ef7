// Results of a simulation: reduced coordinates over time, and files of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/export.hpp"

namespace quartic {

struct ReducedModel;  // quartic/model.hpp

/// What a trajectory's coordinates are of.
enum class Coordinates : std::uint8_t {
  basis,        ///< ReducedModel::basis, as of `Batch`
  linear_modes  ///< ReducedModel::linear_modes, as of `ModalBatch`
};

/// What a body's coordinates are shown as (warping.hpp). Only motions in linear modes are warped.
enum class Warp : std::uint8_t {
  none,            ///< U q
  modal,           ///< `ModalWarp`
  rotation_strain  ///< `RotationStrainWarp`
};

/// Frames of a batch. Frame 0 is the start.
struct Trajectory {
  std::int64_t bodies = 0;
  std::int64_t rank = 0;
  std::vector<double> time = {};        ///< [s], shape (frames)
  std::vector<double> q = {};           ///< shape (frames, B, r), C order
  std::vector<BodyStatus> status = {};  ///< at the end, shape (B)
  std::vector<BodyFlags> flags = {};    ///< at the end, shape (B); empty: none
  /// Of bodies that fly, as `Batch::pose`: position of the mass centre [m], rotation as a quaternion x y z w of unit
  /// length. Shape (frames, B, 7), C order; empty: the bodies stay in the frame that q deforms them in. A vertex that
  /// is at X in the mesh is at position + R (X - mass centre at rest + U q).
  std::vector<double> pose = {};
  /// As `Batch::twist`, velocity [m/s] in world axes and angular velocity [rad/s] in body axes, shape (frames, B, 6);
  /// empty: not recorded.
  std::vector<double> twist = {};
  /// Of motions in linear modes q is that of the modes; what draws them takes `modal_model` of the model.
  Coordinates coordinates = Coordinates::basis;
  /// What draws the motion shows vertices where this takes them.
  Warp warp = Warp::none;

  [[nodiscard]] std::int64_t frames() const { return static_cast<std::int64_t>(time.size()); }
  [[nodiscard]] bool flies() const { return !pose.empty(); }
};

/// The model with its linear modes in place of the basis, and without what belongs to that: what draws a motion in
/// linear modes, such as `write_glb`, takes this. Of a file of `quartic modes`, too.
/// @throws InputError if the model has no modes, as after edits of its materials
[[nodiscard]] QUARTIC_EXPORT ReducedModel modal_model(const ReducedModel& model);

/// `.qtraj`: safetensors with time, q (of linear modes under another name, `modal_q`), the warp of those that
/// have one, status, flags if one is set, and pose and twist of bodies that fly.
/// @throws FileError; InputError for arrays that don't fit each other, numbers of poses and twists that aren't finite,
/// or a quaternion that isn't of unit length
QUARTIC_EXPORT void save_trajectory(const Trajectory& trajectory, const std::filesystem::path& path);
/// @throws FileError, ParseError
[[nodiscard]] QUARTIC_EXPORT Trajectory load_trajectory(const std::filesystem::path& path);
/// `.csv`: one row per frame of body 0: time,q0,q1,..., of a flying body also x,y,z,qx,qy,qz,qw, with 17 digits.
/// @throws FileError
QUARTIC_EXPORT void write_csv(const Trajectory& trajectory, const std::filesystem::path& path);

/// One body's part of a trajectory, which is then body 0 of the result. @throws InputError if there is no such body
[[nodiscard]] QUARTIC_EXPORT Trajectory body_trajectory(const Trajectory& trajectory, std::int64_t body);

/// The rank up to which a .glb file holds the basis: common viewers blend no more than 8 morph targets.
inline constexpr std::int64_t glb_basis_limit = 8;

/// Which bodies a scene shows.
enum class SceneBodies : std::uint8_t {
  automatic,  ///< all where they fly, else body 0
  first,      ///< body 0
  all         ///< each as a node of its own; bodies that don't fly are all in the place of their mesh
};

/// Binary glTF of body 0's surface: the one embedded in the model, its vertices and triangles in their order; where the
/// model has none, the boundary, wound outwards. For r <= glb_basis_limit the basis as morph targets with q(t) as
/// animated weights, above that, and of warped motions, one morph target per frame (baked). Weights are between 0 and
/// 1, to which many programs confine them: each basis field is scaled by the range of its coordinate q_i, and without
/// any weight the surface is where each q_i is at that end of its range that is closer to 0. Of a surface more than
/// eight times its size away from the origin, positions count from a point near its middle, which the node's
/// translation holds.
///
/// Positions of a flying body count from its mass centre, and its node's animated translation and rotation are its
/// pose, with quaternions of those signs that make interpolation go the short way. Flying bodies more than eight times
/// the room that they need away from the origin are children of a node whose translation holds the offset. Several
/// bodies, `body 0`, `body 1`, ..., share mesh and targets up to glb_basis_limit, above that the triangles.
/// @return a sentence if bodies fly so far apart that single precision, which keyframes have, loses their places: if
/// neighbouring numbers are more than a thousandth of a body's size apart
/// @throws FileError, InputError if model and trajectory differ in rank or there are no frames
QUARTIC_EXPORT std::vector<std::string> write_glb(const ReducedModel& model, const Trajectory& trajectory,
                                                  const std::filesystem::path& path,
                                                  SceneBodies bodies = SceneBodies::automatic);

/// A series for ParaView of body 0: `NAME.pvd` names the times and the frames, which are files of their own in a folder
/// beside it, `NAME/NAME_0000.vtu`, ...: the mesh at rest with the point data `displacement` [m]. That of a flying body
/// takes it to its place in the world, and the point data `deformation` is R U q, its part in that. One frame is in
/// memory at a time. Frames of an earlier series in the folder are replaced as far as the new one goes; nothing else in
/// it is touched. Until all frames are written, they and the .pvd file stay as they were.
/// @throws FileError, InputError if model and trajectory differ in rank or there are no frames
QUARTIC_EXPORT void write_pvd(const ReducedModel& model, const Trajectory& trajectory,
                              const std::filesystem::path& path);

/// How a .usda file stores the motion of a surface.
enum class UsdMotion {
  blend_shapes,  ///< UsdSkel: the scaled basis as blend shapes, of any rank, with q(t) as animated weights; not of
                 ///< warped motions, which aren't sums of fields
  points         ///< the positions in every frame: larger, but any program that reads USD shows them
};

/// USD's text format of body 0's surface, as in `write_glb` [m, z up], as `/body/surface`, in single precision. Frames
/// that are evenly spaced are one time code apart (timeCodesPerSecond = 1 / spacing), at whole codes if the first is at
/// a multiple of the spacing; others are at fractions of 24 time codes per second. In both cases a frame's
/// code / timeCodesPerSecond is its time [s] to a billionth. Of `points`, one frame is in memory at a time. Weights of
/// blend shapes and far surfaces as in `write_glb`; a double-precision `xformOp:translate` holds the offset.
/// Of a flying body, time samples of `xformOp:translate` and `xformOp:orient` are the pose, and where twists are known,
/// those of the custom attributes `quartic:velocity` [m/s] and `quartic:angularVelocity` [rad/s] its velocities, both
/// in world axes. Several are `/bodies/body_0`, `/bodies/body_1`, ..., with the surface and its shapes by reference
/// from the class `/shape`. The schema: Pixar, Universal Scene Description, UsdGeomMesh and UsdSkel.
/// @return a sentence if `points` lose the motion in single precision: if neighbouring numbers are more than a
/// hundredth of the largest displacement apart
/// @throws FileError, InputError if model and trajectory differ in rank, there are no frames, times don't ascend or
/// single precision can't hold a number, or for blend shapes of a warped motion
QUARTIC_EXPORT std::vector<std::string> write_usd(const ReducedModel& model, const Trajectory& trajectory,
                                                  const std::filesystem::path& path,
                                                  UsdMotion motion = UsdMotion::blend_shapes,
                                                  SceneBodies bodies = SceneBodies::automatic);

/// Point cache PC2 of body 0's surface, as in `write_glb`, and the surface at rest beside it: `NAME.surface.obj` for
/// `NAME.pc2`, the same vertices in the same order as `write_glb`. Positions [m] in the world, in single precision,
/// little-endian;
/// one sample per frame (sampleRate 1), of which the first is frame time / spacing (startFrame). One frame is in memory
/// at a time.
/// @return a sentence if the file loses the shape or the motion, since it has no offset: if neighbouring numbers of
/// single precision are more than a ten-thousandth of the surface's size apart where it is, or more than a hundredth of
/// its largest displacement
/// @throws FileError, InputError as `write_usd`, and if the frames aren't evenly spaced to a ten-thousandth
QUARTIC_EXPORT std::vector<std::string> write_pc2(const ReducedModel& model, const Trajectory& trajectory,
                                                  const std::filesystem::path& path);

/// Point cache MDD, else as `write_pc2`: big-endian, with each frame's time [s], with any spacing.
/// Times that are the same in single precision are moved on by one bit.
/// @throws FileError, InputError as `write_usd`
QUARTIC_EXPORT std::vector<std::string> write_mdd(const ReducedModel& model, const Trajectory& trajectory,
                                                  const std::filesystem::path& path);

}  // namespace quartic
