// The state of bodies in other coordinates.
#include <Eigen/Geometry>
#include <optional>
#include <string>

#include "core/algebra/dense.hpp"
#include "core/frame/moment_check.hpp"
#include "core/frame/rotation.hpp"
#include "quartic/editing.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;

dense::Lu factorize(const MatrixRef& transform) {
  std::optional<dense::Lu> factor = dense::lu(transform, 1e-14);
  if (!factor) throw InputError("the change of coordinates isn't invertible: its matrix is singular or not finite");
  return *std::move(factor);
}

template <class T>
void require_shape(const MatrixRef& transform, const StateView<T>& state) {
  if (transform.rows() != state.rank || transform.cols() != state.rank)
    throw InputError("a change of coordinates for rank " + std::to_string(state.rank) +
                     " must be a square matrix of this order, not " + std::to_string(transform.rows()) + " x " +
                     std::to_string(transform.cols()));
}

// x <- A x for each body, in double.
template <class T>
void multiply_state(const MatrixXd& matrix, StateView<T> state) {
  Eigen::VectorXd x(state.rank);
  for (std::int64_t body = 0; body < state.bodies; ++body) {
    for (std::int64_t i = 0; i < state.rank; ++i) x[i] = static_cast<double>(state(i, body));
    const Eigen::VectorXd y = matrix * x;
    for (std::int64_t i = 0; i < state.rank; ++i) state(i, body) = static_cast<T>(y[i]);
  }
}

// A range in other coordinates: a field of q' is the sum of T's column over those of q.
ModelRange transformed(ModelRange range, const MatrixXd& transform) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Rows> gradients(range.gradients.data(), 9 * range.points(), range.rank);
  gradients = (gradients * transform).eval();
  return range;
}

// From one frame to another: about origin + shift, of the fields (U - 1 t^T) T.
struct FrameStep {
  MatrixXd transform;    // T, shape (r, r)
  MatrixXd translation;  // t, shape (r, 3)
  Vector3d shift;

  // From this step's coordinates to the other's, where both start from the same: (U - 1 t1^T) T1 is the basis here.
  [[nodiscard]] FrameStep to(const FrameStep& other) const {
    FrameStep step{other.transform, transform.transpose() * (other.translation - translation), other.shift - shift};
    factorize(transform).solve(step.transform);
    return step;
  }
};

FrameStep frame_step(const MaterialEdit& edit, std::int64_t rank) {
  FrameStep step{edit.transform.map(), MatrixXd::Zero(rank, 3), {edit.shift[0], edit.shift[1], edit.shift[2]}};
  if (edit.translation.rows == rank && edit.translation.cols == 3) step.translation = edit.translation.map();
  return step;
}

template <class T>
Vector3d rows_of(StateView<T> view, std::int64_t row, std::int64_t body) {
  return {static_cast<double>(view(row, body)), static_cast<double>(view(row + 1, body)),
          static_cast<double>(view(row + 2, body))};
}

template <class T>
void add_rows(StateView<T> view, std::int64_t row, std::int64_t body, const Vector3d& sum) {
  for (std::int64_t c = 0; c < 3; ++c) view(row + c, body) = static_cast<T>(double{view(row + c, body)} + sum[c]);
}

// Every point stays where it is, as fast and as accelerated as it is, and every force on a point as it is: with
// s = shift + t^T q in body axes, where the new origin is,
//   c += R s,   v += R (w x s + t^T q'),   v' += R (w' x s + w x (w x s) + 2 w x t^T q' + t^T q''),
//   torque -= R s x F,   force on q -= t R^T F.
template <class T>
void move_frames(Batch<T>& batch, const GroupRange& range, const FrameStep& step) {
  const auto q = batch.q(), velocity = batch.velocity(), acceleration = batch.acceleration(), force = batch.force();
  const auto pose = batch.pose(), twist = batch.twist(), twist_rate = batch.twist_rate(), wrench = batch.wrench();
  const auto numbers = [&](StateView<T> view, std::int64_t body) {
    Eigen::VectorXd x(range.rank);
    for (std::int64_t i = 0; i < range.rank; ++i) x[i] = static_cast<double>(view(i, body));
    return x;
  };
  for (std::int64_t b = range.first_body; b < range.first_body + range.bodies; ++b) {
    const frame::Quaternion<double> unit = normalised(
        frame::Quaternion<double>{{double{pose(3, b)}, double{pose(4, b)}, double{pose(5, b)}}, double{pose(6, b)}});
    const frame::Matrix3<double> turn = matrix(unit);
    Eigen::Matrix3d rotation;
    for (Eigen::Index row = 0; row < 3; ++row) rotation.row(row) << turn.row[row].x, turn.row[row].y, turn.row[row].z;
    const Vector3d s = step.shift + step.translation.transpose() * numbers(q, b);
    const Vector3d rate = step.translation.transpose() * numbers(velocity, b);
    const Vector3d second = step.translation.transpose() * numbers(acceleration, b);
    const Vector3d w = rows_of(twist, 3, b), w_rate = rows_of(twist_rate, 3, b), world = rows_of(wrench, 0, b);
    add_rows(pose, 0, b, rotation * s);
    add_rows(twist, 0, b, rotation * (w.cross(s) + rate));
    add_rows(twist_rate, 0, b, rotation * (w_rate.cross(s) + w.cross(w.cross(s)) + 2 * w.cross(rate) + second));
    add_rows(wrench, 3, b, -(rotation * s).cross(world));
    const Eigen::VectorXd taken = step.translation * (rotation.transpose() * world);
    for (std::int64_t i = 0; i < range.rank; ++i) force(i, b) = static_cast<T>(double{force(i, b)} - taken[i]);
  }
}

// The moments for bodies on a base, whose origin stays where it is.
std::optional<FrameMoments> edited_base(const FrameMoments& present, const MaterialEdit& edit, const FrameStep& step) {
  if (!step.translation.isZero(0))
    throw InputError(
        "these bodies are on a base, but the edit moves fields of a free body's mass centre; edit the densities of a "
        "model that has fixed vertices, or reduce anew");
  if (!edit.moments && !step.transform.isIdentity(0))
    throw InputError("the edit has no moments, which bodies on a base need; reduce the model with region_parts");
  if (!edit.moments) return {};  // elastic constants alone
  FrameChange change{.translation = Matrix(present.rank(), 3), .transform = Matrix(present.rank(), present.rank())};
  change.transform.map().setIdentity();
  for (std::size_t c = 0; c < 3; ++c) change.shift[c] = present.origin[c] - edit.moments->origin[c];
  FrameMoments moments = change_frame(*edit.moments, change);
  moments.origin = present.origin;  // to the bit
  require_base_frame(moments, present.rank());
  return moments;
}

template <class T>
void set_edited_model(Batch<T>& batch, const MaterialEdit& edit, int group) {
  const std::size_t chambers = batch.force_model(group).chambers.size();
  if (chambers == 0) return batch.set_energy(edit.energy, group);
  if (edit.chambers.size() != chambers)
    throw InputError("these bodies have " + std::to_string(chambers) + " chambers, but the edited model has " +
                     std::to_string(edit.chambers.size()) + "; edit the model that they were made of");
  batch.set_force_model({edit.energy, {}, edit.chambers}, group);
}

}  // namespace

template <class T>
void transform_state(MatrixRef transform, StateView<T> state) {
  require_shape(transform, state);
  multiply_state<T>(factorize(transform).inverse(), state);
}

template <class T>
void transform_force(MatrixRef transform, StateView<T> force) {
  require_shape(transform, force);
  static_cast<void>(factorize(transform));
  multiply_state<T>(transform.transpose(), force);
}

template <class T>
void apply_edit(Batch<T>& batch, const MaterialEdit& edit, const MaterialEdit* previous, int group) {
  const GroupRange range = batch.group(group);
  FrameStep step = frame_step(edit, range.rank);  // from the coordinates that the batch has now
  require_shape(edit.transform.map(), batch.q().part(range));
  if (previous != nullptr) {
    require_shape(previous->transform.map(), batch.q().part(range));
    step = frame_step(*previous, range.rank).to(step);
  }
  const dense::Lu factor = factorize(step.transform);
  const bool on_base = batch.frame_motion(group) == FrameMotion::prescribed;
  const bool posed = batch.has_frame(group) && !on_base;
  std::optional<FrameMoments> base;
  if (on_base) base = edited_base(batch.frame(group), edit, step);
  if (posed && !edit.moments)
    throw InputError("the edit has no moments, but these bodies have a frame; edit a model of a free body");
  if (posed) require_free_frame(*edit.moments, static_cast<int>(range.rank));
  set_edited_model(batch, edit, group);
  if (posed) batch.set_frame(are_coupled(batch.frame(group)) ? *edit.moments : rest_moments(*edit.moments), group);
  if (base) batch.set_frame(*base, group);
  if (step.transform.isIdentity(0) && step.translation.isZero(0) && step.shift.isZero(0)) return;
  if (batch.range(group).rank > 0) batch.set_range(transformed(batch.range(group), step.transform), group);
  if (posed) move_frames(batch, range, step);
  const MatrixXd inverse = factor.inverse();
  for (const StateView<T>& view : {batch.q(), batch.velocity(), batch.acceleration()})
    multiply_state(inverse, view.part(range));
  multiply_state<T>(step.transform.transpose(), batch.force().part(range));
}

template QUARTIC_EXPORT void transform_state<float>(MatrixRef, StateView<float>);
template QUARTIC_EXPORT void transform_state<double>(MatrixRef, StateView<double>);
template QUARTIC_EXPORT void transform_force<float>(MatrixRef, StateView<float>);
template QUARTIC_EXPORT void transform_force<double>(MatrixRef, StateView<double>);
template QUARTIC_EXPORT void apply_edit<float>(Batch<float>&, const MaterialEdit&, const MaterialEdit*, int);
template QUARTIC_EXPORT void apply_edit<double>(Batch<double>&, const MaterialEdit&, const MaterialEdit*, int);

}  // namespace quartic
