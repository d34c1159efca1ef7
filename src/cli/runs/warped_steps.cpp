#include "cli/runs/warped_steps.hpp"

#include <algorithm>
#include <utility>

#include "quartic/fem.hpp"

namespace quartic::cli {

template <class T>
WarpedSteps<T>::WarpedSteps(ModalBatch<T>& batch, const ReducedModel& model, const Scene& scene, double step)
    : batch_(batch),
      warp_(model.mesh, model.linear_modes.map()),
      loads_(mass_matrix(model.mesh, model.mass_matrix), scene),
      loaded_(!scene.empty()),
      step_(step),
      vertex_force_(static_cast<std::size_t>(warp_.modes().rows)),
      before_(static_cast<std::size_t>(batch.rank() * batch.bodies())) {
  for (std::size_t i = 0; i < batch.eigenvalues().size(); ++i)
    propagators_.push_back(modal_propagator(batch.eigenvalues()[i], batch.damping()[i], step));
}

template <class T>
void WarpedSteps<T>::set_force(double time) {
  loads_.at(time, step_, vertex_force_);
  loaded_vertices_.clear();
  loaded_force_.clear();
  for (std::size_t v = 0; 3 * v < vertex_force_.size(); ++v) {
    const double* f = vertex_force_.data() + 3 * v;
    if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
    loaded_vertices_.push_back(static_cast<std::int32_t>(v));
    for (std::size_t c = 0; c < 3; ++c) loaded_force_.push_back(static_cast<T>(f[c]));
  }
  const StateView<T> force = batch_.force();
  for (std::int64_t body = 0; body < force.bodies; ++body)
    for (std::int64_t i = 0; i < force.rank; ++i) force(i, body) = 0;
  if (loaded_vertices_.empty()) return;
  const VertexView<const T> forces = {loaded_force_.data(), force.bodies, std::ssize(loaded_vertices_), 0};
  warp_.add_forces<T>(loaded_vertices_, forces, std::as_const(batch_).q(), force);
}

template <class T>
void WarpedSteps<T>::advance() {
  if (!loaded_) return batch_.step(step_);
  const double time = batch_.time();
  set_force(time);
  const StateView<T> held = batch_.force();
  for (std::int64_t i = 0; i < held.rank; ++i)
    for (std::int64_t body = 0; body < held.bodies; ++body)
      before_[static_cast<std::size_t>(i * held.bodies + body)] = held(i, body);
  batch_.step(step_);
  set_force(time);
  const StateView<T> after = batch_.force(), q = batch_.q(), velocity = batch_.velocity();
  for (std::int64_t i = 0; i < after.rank; ++i)
    for (std::int64_t body = 0; body < after.bodies; ++body) {
      if (batch_.status()[static_cast<std::size_t>(body)] == BodyStatus::diverged) continue;
      const double change = double{after(i, body)} - double{before_[static_cast<std::size_t>(i * after.bodies + body)]};
      const ModalPropagator& propagator = propagators_[static_cast<std::size_t>(i)];
      q(i, body) = static_cast<T>(double{q(i, body)} + propagator.z_ramp * change);
      velocity(i, body) = static_cast<T>(double{velocity(i, body)} + propagator.v_ramp * change);
    }
}

template <class T>
void WarpedSteps<T>::look() {
  const std::vector<double> rotations = warp_.largest_rotations(std::as_const(batch_).q());
  largest_rotation_ = std::max(largest_rotation_, *std::max_element(rotations.begin(), rotations.end()));
}

template class WarpedSteps<float>;
template class WarpedSteps<double>;

}  // namespace quartic::cli
