// The state of bodies in other coordinates.
#include <optional>
#include <string>

#include "core/algebra/dense.hpp"
#include "quartic/editing.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;

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
  MatrixXd transform = edit.transform.map();  // from the coordinates that the batch has now
  require_shape(transform, batch.q().part(range));
  if (previous != nullptr) {
    require_shape(previous->transform.map(), batch.q().part(range));
    factorize(previous->transform.map()).solve(transform);
  }
  const dense::Lu factor = factorize(transform);
  batch.set_energy(edit.energy, group);
  if (transform.isIdentity(0)) return;
  if (batch.range(group).rank > 0) batch.set_range(transformed(batch.range(group), transform), group);
  const MatrixXd inverse = factor.inverse();
  for (const StateView<T>& view : {batch.q(), batch.velocity(), batch.acceleration()})
    multiply_state(inverse, view.part(range));
  multiply_state<T>(transform.transpose(), batch.force().part(range));
}

template QUARTIC_EXPORT void transform_state<float>(MatrixRef, StateView<float>);
template QUARTIC_EXPORT void transform_state<double>(MatrixRef, StateView<double>);
template QUARTIC_EXPORT void transform_force<float>(MatrixRef, StateView<float>);
template QUARTIC_EXPORT void transform_force<double>(MatrixRef, StateView<double>);
template QUARTIC_EXPORT void apply_edit<float>(Batch<float>&, const MaterialEdit&, const MaterialEdit*, int);
template QUARTIC_EXPORT void apply_edit<double>(Batch<double>&, const MaterialEdit&, const MaterialEdit*, int);

}  // namespace quartic
