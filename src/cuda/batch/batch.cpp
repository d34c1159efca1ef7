#include "cuda/batch/batch.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/aligned_array.hpp"
#include "core/batch/time_stepping.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/batch/batch_memory.hpp"
#include "cuda/batch/body_energies.hpp"
#include "cuda/batch/steps/fused_step.hpp"
#include "cuda/batch/steps/integrators.hpp"
#include "cuda/batch/steps/latency_steps.hpp"
#include "cuda/energy/cublas_product.hpp"
#include "cuda/energy/step_progress.hpp"
#include "cuda/energy/tensor_product.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

static_assert(static_cast<std::int32_t>(BodyStatus::regularised) == status_regularised);
static_assert(static_cast<std::int32_t>(BodyStatus::diverged) == status_diverged);
static_assert(sizeof(BodyStatus) == sizeof(std::int32_t));

template <class T>
bool same_curves(const BodyParameters<T>& a, const BodyParameters<T>& b) {
  return a.curve_of_body == b.curve_of_body &&
         std::equal(a.curves.begin(), a.curves.end(), b.curves.begin(), b.curves.end(),
                    [](const LoadCurve& x, const LoadCurve& y) { return x.times == y.times && x.scales == y.scales; });
}

template <class T>
void prepare_kernels(Integrator integrator, std::size_t shared_bytes) {
  switch (integrator) {
    case Integrator::newmark:
    case Integrator::backward_euler:
      prepare_fused_steps<T>(shared_bytes);
      return prepare_implicit_step<T>(shared_bytes);
    case Integrator::central_differences:
      return prepare_central_differences_step<T>(shared_bytes);
    case Integrator::energy_conserving:
      return prepare_energy_conserving_step<T>(shared_bytes);
  }
}

// Also prepares the kernels, since the plans depend on their room on the device.
template <class T>
std::vector<LatencyPlan> plan_bodies(const std::vector<GroupRange>& groups, Integrator integrator,
                                     std::size_t shared_bytes) {
  prepare_latency_steps<T>(shared_bytes);
  const bool clusters = has_clusters(), two_points = integrator == Integrator::energy_conserving;
  std::vector<LatencyPlan> plans;
  plans.reserve(groups.size());
  for (const GroupRange& group : groups) {
    const auto rank = static_cast<int>(group.rank);
    plans.push_back(plan_latency<T>(rank, two_points, shared_bytes, clusters));
    if (!can_start<T>(plans.back())) plans.back() = plan_latency<T>(rank, two_points, shared_bytes, false);
  }
  return plans;
}

bool may_fuse(Evaluation evaluation) {
  return evaluation == Evaluation::strict || evaluation == Evaluation::tensor;
}

// What evaluates H in place of evaluate.cu, if anything does.
template <class T>
std::unique_ptr<Product<T>> make_product(Evaluation evaluation, std::span<const QuarticEnergy> energies,
                                         const TilePlan& plan, cudaStream_t stream) {
  if (evaluation == Evaluation::cublas) {
    std::vector<StepShape> chunks;
    for (const Chunk& chunk : plan.chunks) chunks.push_back(chunk.shape);
    return std::make_unique<CublasProduct<T>>(energies, plan.tiles, chunks, stream);
  }
  if (evaluation == Evaluation::tensor) return std::make_unique<TensorProduct<T>>(energies, stream);
  return nullptr;
}

// Moves the groups but for their strain forms out, if their bodies fit into the device's memory: before even the
// host's is allocated.
template <class T>
std::vector<BodyGroup> take_fitting(std::vector<BodyGroup>& groups, const BatchOptions& options) {
  const DeviceGuard guard(checked_device(options.device));
  std::vector<GroupRange> ranges;
  ranges.reserve(groups.size());
  for (const BodyGroup& group : groups) ranges.push_back({0, group.bodies, group.energy.rank});
  require_batch_memory(bytes_of_bodies<T>(ranges, options.evaluation), options.bodies);
  std::vector<BodyGroup> taken;
  taken.reserve(groups.size());
  for (BodyGroup& group : groups) taken.push_back({std::move(group.energy), group.bodies, {}});
  return taken;
}

}  // namespace

template <class T>
CudaBatch<T>::CudaBatch(std::vector<BodyGroup> groups, const BatchOptions& options)
    : BatchImpl<T>(take_fitting<T>(groups, options), options),
      device_(checked_device(options.device)),
      guard_(std::make_unique<DeviceGuard>(device_)),
      pitch_(padded<T>(options.bodies)) {
  make_plan(device_limits());
  make_arrays(groups);
  stream_.synchronize();
  guard_.reset();
}

template <class T>
CudaBatch<T>::~CudaBatch() {
  try {
    guard_ = std::make_unique<DeviceGuard>(device_);  // while the members are destroyed
    caller_work_.wait();
  } catch (const Error&) {  // the device has failed, or the program is at its end: nothing left to save
  }
}

template <class T>
void CudaBatch<T>::make_plan(DeviceLimits limits) {
  const auto& [evaluation, integrator] = std::pair(this->options().evaluation, this->options().integrator);
  if (evaluation == Evaluation::latency) {
    latency_plans_ = plan_bodies<T>(this->ranges(), integrator, limits.shared_bytes);
  } else {
    plan_ = plan_tiles<T>(this->ranges(),
                          {.integrator = integrator,
                           .fusing = may_fuse(evaluation) ? fusing() : Fusing::never,
                           .on_tensor_cores = evaluation == Evaluation::tensor,
                           .iterates = this->options().newton_iterations > 1,
                           .with_strains = evaluation == Evaluation::accurate},
                          limits);
    prepare_kernels<T>(integrator, limits.shared_bytes);
  }
  require_batch_memory(
      bytes_of_bodies<T>(this->ranges(), evaluation) + bytes_of_steps<T>(this->ranges(), plan_, evaluation, integrator),
      bodies());
}

template <class T>
void CudaBatch<T>::make_arrays(const std::vector<BodyGroup>& groups) {
  const cudaStream_t s = stream_.get();
  const bool accurate = this->options().evaluation == Evaluation::accurate;
  std::vector<ModelSource> sources;
  for (std::size_t g = 0; g < groups.size(); ++g)
    sources.push_back({&this->energy(g), accurate ? &groups[g].strain_form : nullptr});
  models_ = DeviceModels<T>(sources, s);
  tiles_ = DeviceArray<Tile>(std::span<const Tile>(plan_.tiles), s);
  product_ = make_product<T>(this->options().evaluation, this->energies(), plan_, s);
  for (const StateArray which : all_state_arrays) {
    state_[which] = DeviceArray<T>(this->rank() * pitch_, s);
    state_[which].fill_zero(s);
  }
  status_ = DeviceArray<std::int32_t>(bodies(), s);
  status_.fill_zero(s);
  host_status_.assign(static_cast<std::size_t>(bodies()), BodyStatus::ok);
  rayleigh_mass_ = DeviceArray<T>(std::span<const T>(this->parameters().rayleigh_mass), s);
  rayleigh_stiffness_ = DeviceArray<T>(std::span<const T>(this->parameters().rayleigh_stiffness), s);
  workspace_ = StepWorkspace<T>(plan_.rows, this->options().integrator, bodies(), s);
  time_ = DeviceArray<double>(1, s);
  time_.fill_zero(s);
  substep_time_ = DeviceArray<double>(1, s);
  energies_ = DeviceArray<double>(bodies(), s);
}

template <class T>
BatchView<T> CudaBatch<T>::view() const {
  BatchView<T> view = {};
  view.models = models_.views();
  view.tiles = tiles_.data();
  view.q = state_.q.data(), view.velocity = state_.velocity.data(), view.acceleration = state_.acceleration.data();
  view.force = state_.force.data();
  view.pitch = pitch_;
  view.rayleigh_mass = rayleigh_mass_.data(), view.rayleigh_stiffness = rayleigh_stiffness_.data();
  view.start_scale = curves_.start_scale.data(), view.end_scale = curves_.end_scale.data();
  view.status = status_.data();
  view.product = product_.get();
  if (product_ != nullptr) view.tensor_images = product_->tensor_images();
  workspace_.show(view);
  return view;
}

template <class T>
StateView<T> CudaBatch<T>::view_of(T* values) const {
  return {values, this->rank(), bodies(), pitch_, 1};
}

template <class T>
StateView<T> CudaBatch<T>::device_state(StateArray which) {
  host_copies_.leave_to_caller();
  return view_of(state_[which].data());
}

template <class T>
void CudaBatch<T>::send(cudaStream_t stream) {
  const DeviceGuard guard(device_);
  host_copies_.leave_to_caller();
  host_copies_.send(state_, stream);
  if (!is_capturing(stream)) caller_work_.note(stream);
}

template <class T>
void CudaBatch<T>::fetch(cudaStream_t stream) {
  const DeviceGuard guard(device_);
  host_copies_.leave_to_caller();
  host_copies_.fetch(state_, stream);
  if (!is_capturing(stream)) caller_work_.note(stream);
}

template <class T>
T* CudaBatch<T>::host_copy(StateArray which, bool to_write) {
  caller_work_.wait();
  std::optional<DeviceGuard> guard;
  if (!host_copies_.has(which)) guard.emplace(device_);  // seldom: views are asked for in loops over bodies
  return host_copies_.copy(which, to_write, state_, stream_.get());
}

template <class T>
StateView<T> CudaBatch<T>::state(StateArray which) {
  return view_of(host_copy(which, true));
}

template <class T>
StateView<const T> CudaBatch<T>::read_state(StateArray which) {
  return view_of(host_copy(which, false));
}

template <class T>
std::span<const BodyStatus> CudaBatch<T>::status() const {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  check(cudaMemcpyAsync(host_status_.data(), status_.data(), status_.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
        "copy the status from the device");
  stream_.synchronize();
  return host_status_;
}

template <class T>
void CudaBatch<T>::set_status(std::span<const BodyStatus> status) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  std::copy(status.begin(), status.end(), host_status_.begin());
  check(cudaMemcpyAsync(status_.data(), host_status_.data(), status_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
        "copy the status to the device");
  stream_.synchronize();
}

template <class T>
void CudaBatch<T>::reset_status() {
  set_status(std::vector<BodyStatus>(static_cast<std::size_t>(bodies()), BodyStatus::ok));
}

template <class T>
void CudaBatch<T>::elastic_energy(std::span<double> result) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  host_copies_.send_before_work(state_, stream_.get());
  for (std::size_t g = 0; g < this->ranges().size(); ++g) {
    const GroupRange& group = this->ranges()[g];
    elastic_energies(models_.energy(g, this->energy(g), stream_.get()), static_cast<int>(group.rank),
                     state_.q.data() + group.first_body, pitch_, group.bodies, energies_.data() + group.first_body,
                     stream_.get());
  }
  copy_energies(result);
}

template <class T>
void CudaBatch<T>::kinetic_energy(std::span<double> result) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  host_copies_.send_before_work(state_, stream_.get());
  for (const GroupRange& group : this->ranges())
    kinetic_energies(static_cast<int>(group.rank), state_.velocity.data() + group.first_body, pitch_, group.bodies,
                     energies_.data() + group.first_body, stream_.get());
  copy_energies(result);
}

template <class T>
void CudaBatch<T>::copy_energies(std::span<double> result) const {
  check(cudaMemcpyAsync(result.data(), energies_.data(), energies_.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
        "copy energies from the device");
  stream_.synchronize();
}

template <class T>
double CudaBatch<T>::time() const {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  double time = 0;
  check(cudaMemcpyAsync(&time, time_.data(), sizeof(time), cudaMemcpyDeviceToHost, stream_.get()),
        "copy the time from the device");
  stream_.synchronize();
  return time;
}

template <class T>
void CudaBatch<T>::set_time(double time) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  time_.copy_from(std::span<const double>(&time, 1), stream_.get());
}

template <class T>
void CudaBatch<T>::take_energy(std::size_t group, const QuarticEnergy& energy) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  models_.set_energy(group, energy, stream_.get());
  if (product_ != nullptr) product_->set_energy(group, energy, stream_.get());
}

template <class T>
void CudaBatch<T>::take_parameters(const BodyParameters<T>& parameters) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  const cudaStream_t s = stream_.get();
  // All that may fail comes first.
  const bool new_curves = !same_curves(parameters, this->parameters());
  DeviceCurves<T> curves;
  if (new_curves) curves = DeviceCurves<T>(parameters.curves, parameters.curve_of_body, s);
  rayleigh_mass_.copy_from(parameters.rayleigh_mass, s);
  rayleigh_stiffness_.copy_from(parameters.rayleigh_stiffness, s);
  if (new_curves) {
    graph_.forget();
    std::swap(curves_, curves);
  }
  stream_.synchronize();
}

template class CudaBatch<float>;
template class CudaBatch<double>;

}  // namespace quartic::cuda
