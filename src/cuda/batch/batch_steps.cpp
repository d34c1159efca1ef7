// The steps of a batch: what is launched for them, and in which stream.
#include <algorithm>

#include "core/batch/time_stepping.hpp"
#include "cuda/batch/batch.hpp"
#include "cuda/batch/steps/fused_step.hpp"
#include "cuda/batch/steps/integrators.hpp"
#include "cuda/batch/steps/latency_steps.hpp"
#include "cuda/energy/strain_damping_evaluator.hpp"

namespace quartic::cuda {

template <class T>
void CudaBatch<T>::launch_latency_steps(double dt, int substeps, cudaStream_t stream) {
  const auto scheme = [&] {
    switch (this->options().integrator) {
      case Integrator::central_differences:
        return LatencyScheme::central_differences;
      case Integrator::energy_conserving:
        return LatencyScheme::energy_conserving;
      default:
        return LatencyScheme::implicit;
    }
  }();
  BatchView<T> batch = view();
  if (this->has_frames()) batch.frame.settings = spin_settings<T>(this->options(), dt);
  for (std::size_t g = 0; g < latency_plans_.size(); ++g) {
    if (!latency_plans_[g]) continue;
    const GroupRange& group = this->ranges()[g];
    latency_steps<T>(
        {batch, step_settings<T>(this->options(), dt), scheme, curves_.view(), time_.data(), dt, substeps,
         static_cast<int>(g), group.first_body, group.bodies, *latency_plans_[g], this->frames()[g] != nullptr,
         gases_.has_value(), gases_ ? gases_->view(batch.pressure) : GasView<T>{}},
        stream);
  }
}

template <class T>
void CudaBatch<T>::launch_steps(double dt, int substeps, cudaStream_t stream) {
  for (int before = 0; before < substeps; before += plan_.steps_at_once)
    launch_some_steps(dt, std::min(substeps - before, plan_.steps_at_once), stream);
}

template <class T>
void CudaBatch<T>::launch_some_steps(double dt, int substeps, cudaStream_t stream) {
  launch_latency_steps(dt, substeps, stream);
  launch_chunks(dt, substeps, stream);
  advance_time(time_.data(), dt, substeps, stream);
}

template <class T>
const Evaluator<T>& CudaBatch<T>::evaluator_of(const Chunk& chunk) const {
  if (chunk.has_strain_form) return strain_evaluator_;
  return *evaluator_;
}

template <class T>
void CudaBatch<T>::launch_chunks(double dt, int substeps, cudaStream_t stream) {
  BatchView<T> batch = view();
  if (this->has_frames()) batch.frame.settings = spin_settings<T>(this->options(), dt);
  const GasView<T> gases = gases_ ? gases_->view(batch.pressure) : GasView<T>{.given = batch.pressure};
  for (const Chunk& chunk : plan_.chunks) {
    batch.tiles = tiles_.data() + chunk.shape.first_tile;
    const bool has_gases = gases_ && chunk.shape.has_chambers;
    const Evaluator<T>& elastic = evaluator_of(chunk);
    const GasEvaluator<T> with_gases(elastic, gases);
    batch.evaluator = has_gases ? static_cast<const Evaluator<T>*>(&with_gases) : &elastic;
    batch.pressure = has_gases ? gases.pressure : gases.given;
    const StrainDampingEvaluator<T> with_damping(*batch.evaluator);
    if (strain_damping_ && !chunk.fused) batch.evaluator = &with_damping;
    batch.tensor_images = batch.evaluator->tensor_images();
    if (!chunk.fused) begin_steps(batch, chunk.shape.tiles, stream);
    if (chunk.shape.has_frame) begin_free_steps(batch, chunk.shape, stream);
    if (batch.start_scale == nullptr) {
      launch_chunk(batch, chunk, dt, substeps, 0, stream);
      continue;
    }
    copy_time(time_.data(), substep_time_.data(), stream);
    for (int n = 0; n < substeps; ++n) {
      scale_forces(batch, curves_.view(), substep_time_.data(), dt, curves_.start_scale.data(),
                   curves_.end_scale.data(), chunk.shape.tiles, stream);
      launch_chunk(batch, chunk, dt, 1, n, stream);
      advance_time(substep_time_.data(), dt, 1, stream);
    }
  }
}

// Steps under one scale of forces, behind `before` others.
template <class T>
void CudaBatch<T>::launch_chunk(const BatchView<T>& batch, const Chunk& chunk, double dt, int substeps, int before,
                                cudaStream_t stream) const {
  const StepSettings<T> settings = step_settings<T>(this->options(), dt);
  if (chunk.fused) return fused_steps(batch, settings, substeps, chunk.shape, *chunk.fused, stream);
  for (int n = before; n < before + substeps; ++n) launch_step(batch, settings, n > 0, chunk.shape, stream);
}

// A substep of tiles that aren't fused. @param h_is_current see central_differences_step
template <class T>
void CudaBatch<T>::launch_step(const BatchView<T>& batch, const StepSettings<T>& settings, bool h_is_current,
                               const StepShape& shape, cudaStream_t stream) const {
  switch (this->options().integrator) {
    case Integrator::newmark:
    case Integrator::backward_euler:
      return shape.has_frame ? free_implicit_step(batch, settings, shape, stream)
                             : implicit_step(batch, settings, shape, stream);
    case Integrator::central_differences:
      return central_differences_step(batch, settings, h_is_current, shape, stream);
    case Integrator::energy_conserving:
      return shape.has_frame ? free_energy_conserving_step(batch, settings, shape, stream)
                             : energy_conserving_step(batch, settings, shape, stream);
  }
}

template <class T>
void CudaBatch<T>::step(double dt, int substeps) {
  run([&](cudaStream_t stream) { run_steps(dt, substeps, stream); });
}

template <class T>
void CudaBatch<T>::run(const std::function<void(cudaStream_t)>& work) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  host_copies_.send_before_work(state_, stream_.get());
  work(stream_.get());
  host_copies_.fetch_after_steps(state_, stream_.get());
  stream_.synchronize();
}

template <class T>
void CudaBatch<T>::step(double dt, int substeps, cudaStream_t stream) {
  run(stream, [&](cudaStream_t s) {
    if (is_capturing(s))
      launch_steps(dt, substeps, s);
    else
      run_steps(dt, substeps, s);
  });
}

template <class T>
void CudaBatch<T>::run(cudaStream_t stream, const std::function<void(cudaStream_t)>& work) {
  const DeviceGuard guard(device_);
  host_copies_.leave_to_caller();
  work(stream);
  if (!is_capturing(stream)) caller_work_.note(stream);
}

template <class T>
void CudaBatch<T>::run_steps(double dt, int substeps, cudaStream_t stream) {
  graph_.run(dt, substeps, stream, stream_.get(), [&](cudaStream_t s) { launch_steps(dt, substeps, s); });
}

template void CudaBatch<float>::step(double, int);
template void CudaBatch<float>::step(double, int, cudaStream_t);
template void CudaBatch<double>::step(double, int);
template void CudaBatch<double>::step(double, int, cudaStream_t);
template void CudaBatch<float>::launch_steps(double, int, cudaStream_t);
template void CudaBatch<float>::run(const std::function<void(cudaStream_t)>&);
template void CudaBatch<float>::run(cudaStream_t, const std::function<void(cudaStream_t)>&);
template void CudaBatch<double>::launch_steps(double, int, cudaStream_t);
template void CudaBatch<double>::run(const std::function<void(cudaStream_t)>&);
template void CudaBatch<double>::run(cudaStream_t, const std::function<void(cudaStream_t)>&);

}  // namespace quartic::cuda
