#include "cuda/batch/step_workspace.hpp"

namespace quartic::cuda {

template <class T>
StepWorkspace<T>::StepWorkspace(const WorkspaceRows& rows, Integrator integrator, std::int64_t bodies,
                                cudaStream_t stream)
    : progress(bodies, stream) {
  const auto array = [&](std::int64_t count) { return DeviceArray<T>(count * tile_bodies, stream); };
  points = array(rows.points);
  h = array(rows.h);
  increment = array(rows.vectors);
  system = array(rows.system);
  strains = array(rows.strains);
  frames = array(rows.frames);
  damping = array(rows.damping);
  middle_points = array(rows.middle_points);
  if (integrator == Integrator::energy_conserving) {
    second_points = array(rows.points);
    second_h = array(rows.h);
    last_squares = DeviceArray<T>(bodies, stream);
  }
}

template <class T>
void StepWorkspace<T>::show(BatchView<T>& view) const {
  view.points = points.data(), view.second_points = second_points.data();
  view.h = h.data(), view.second_h = second_h.data();
  view.increment = increment.data();
  view.system = system.data();
  view.strains = strains.data();
  view.frame.rows = frames.data();
  view.strain_damping.d = damping.data(), view.strain_damping.middle_points = middle_points.data();
  view.last_squares = last_squares.data();
  view.progress = progress.data();
}

template struct StepWorkspace<float>;
template struct StepWorkspace<double>;

}  // namespace quartic::cuda
