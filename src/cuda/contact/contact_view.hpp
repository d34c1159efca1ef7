// What kernels see of bound trees, shapes and contacts. All in double, whatever the batch is in.
#pragma once

#include <cstdint>

#include "core/contact/solid_view.hpp"
#include "core/frame/pose.hpp"
#include "quartic/bound_tree.hpp"
#include "quartic/contact.hpp"

namespace quartic::cuda {

using Vector3 = frame::Vector3<double>;
using Pose = frame::Pose<double>;

/// A group's bound tree; without nodes where the group has none.
struct TreeView {
  int rank = 0;
  const BoundNode* nodes = nullptr;
  const double* rest_spheres = nullptr;  // c and R, shape (nodes, 4)
  const double* fields = nullptr;        // shape (nodes, 13, r): rows of PackedTree
  const double* sizes = nullptr;         // what rounding may do, shape (r + 1)
  const double* positions = nullptr;     // of the points, shape (p, 3)
  const double* areas = nullptr;         // shape (p)
  const double* basis = nullptr;         // shape (p, r, 3)
  const double* leaf_basis = nullptr;    // the same for a point per lane, shape (p / 32, r, 3, 32)
  const double* largest = nullptr;       // max_i |U_ij|, shape (r)
  Vector3 origin = {};                   // of the bodies' frame, in the mesh's coordinates
};

/// A collider's frame and how it moves.
struct Motion {
  Pose pose;
  Vector3 velocity, spin;
};

/// The colliders of a world at the start and the end of a step.
struct ShapesView {
  int count = 0;
  const SolidView* solids = nullptr;
  double* poses = nullptr;  // as callers have them: pose and twist, shape (count, 13)
  Motion* start = nullptr;  // shape (count)
  Motion* end = nullptr;
};

/// Points that may come to touch a shape, body by body, each body's in the order of shapes and points.
struct CandidatesView {
  std::int64_t capacity = 0;
  std::int64_t* needed = nullptr;  // places that a step would have taken, at most so far; one number
  double* margins = nullptr;       // of each body, shape (B)
  std::int64_t* counts = nullptr;  // of each body; 0 where they don't fit, shape (B)
  std::int64_t* firsts = nullptr;  // where they begin, shape (B)
  std::int32_t* shapes = nullptr;  // shape (capacity), as all below
  std::int32_t* points = nullptr;
  double* records = nullptr;  // at the iterate: rows of `Record`, shape (records, capacity)
};

/// Rows of a candidate's numbers. Those but the gap are there where it is below 0.
enum Record : int {
  record_place = 0,  // in the world
  record_gap = 3,
  record_normal = 4,
  record_velocity = 7,  // relative to the shape's
  record_force = 10,    // in the world
  record_rows = 13
};

/// What happened to a body that has candidates.
enum class Outcome : std::int32_t { none, solved, not_converged, diverged };

/// New states of bodies with candidates, in the layout of the batch's, until the batch has stepped the others.
template <class T>
struct NextStates {
  T *q, *velocity, *acceleration, *pose, *twist, *twist_rate;
  Outcome* outcomes;     // shape (B)
  std::int32_t* status;  // before the step, shape (B)
  std::uint32_t* flags;  // likewise
};

/// What is read out of a step.
struct ReadoutView {
  double *wrench, *impulse;  // shape (B, 6)
  std::int64_t* counts;      // of points in a shape of each body, shape (B)
  std::int64_t* firsts;      // shape (B)
  std::int64_t* count;       // of all; one number
  Contact* contacts;         // shape (capacity)
};

}  // namespace quartic::cuda
