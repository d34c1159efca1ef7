// What a backend does for contacts: spheres of many bodies, and steps of bodies that touch something. On the CPU only
// so far.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/aligned_array.hpp"
#include "core/contact/body_stepper.hpp"
#include "core/contact/pushed_body.hpp"
#include "quartic/export.hpp"
#include "quartic/state.hpp"

namespace quartic {

/// Coordinates that a kernel has room for.
inline constexpr std::int64_t largest_tree_rank = 255;

/// Rows of a node's fields: the centre's three, nine of the affine part, the residual.
inline constexpr std::int64_t node_field_rows = 13;

/// A bound tree in the precision and the order in which spheres are computed.
template <class T>
struct PackedTree {
  std::int64_t rank = 0, nodes = 0;
  AlignedArray<T> rest_spheres;  // c and R, shape (nodes, 4)
  AlignedArray<T> fields;        // shape (nodes, r, 13)
  AlignedArray<T> sizes;         // size_0, then of each field, times 2 (r + 64) u, shape (r + 1)
};

/// @throws InputError as `require_sound`, or for numbers that T can't hold
template <class T>
[[nodiscard]] QUARTIC_EXPORT PackedTree<T> packed_tree(const BoundTree& tree);

/// Of arguments that have been checked. @param spheres shape (B, nodes, 4)
struct ContactOperations {
  void (*refit_floats)(const PackedTree<float>& tree, const StateView<const float>& q, float* spheres);
  void (*refit_doubles)(const PackedTree<double>& tree, const StateView<const double>& q, double* spheres);
  /// @param frame null for bodies that are held
  std::unique_ptr<BodyStepper> (*make_stepper)(Integrator integrator, const SharedModel& model,
                                               const SharedFrame& frame, std::shared_ptr<const BoundTree> tree);
  /// By backward Euler. @param alike null, or one that was made with the same arguments, whose numbers it shares
  std::unique_ptr<PushedBody> (*make_pushed_body)(const SharedModel& model, const SharedFrame& frame,
                                                  std::shared_ptr<const BoundTree> tree, const PushedBody* alike);
};

extern const ContactOperations cpu_contact_operations;

}  // namespace quartic
