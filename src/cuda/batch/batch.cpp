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
#include "cuda/energy/cublas_evaluator.hpp"
#include "cuda/energy/evaluate.hpp"
#include "cuda/energy/step_progress.hpp"
#include "cuda/energy/tensor_evaluator.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

static_assert(static_cast<std::int32_t>(BodyStatus::regularised) == status_regularised);
static_assert(static_cast<std::int32_t>(BodyStatus::diverged) == status_diverged);
static_assert(sizeof(BodyStatus) == sizeof(std::int32_t));
static_assert(static_cast<std::uint32_t>(BodyFlags::not_converged) == flag_not_converged);
static_assert(sizeof(BodyFlags) == sizeof(std::uint32_t));

template <class T>
void prepare_free_kernels(Integrator integrator, std::size_t shared_bytes) {
  prepare_free_steps<T>(shared_bytes);
  if (integrator == Integrator::energy_conserving)
    prepare_free_energy_conserving_step<T>(shared_bytes);
  else
    prepare_free_implicit_step<T>(shared_bytes);
}

template <class T>
void prepare_kernels(Integrator integrator, std::size_t shared_bytes) {
  switch (integrator) {
    case Integrator::newmark:
    case Integrator::backward_euler:
      prepare_fused_steps<T>(shared_bytes);
      prepare_fused_chamber_steps<T>(shared_bytes);
      return prepare_implicit_step<T>(shared_bytes);
    case Integrator::central_differences:
      return prepare_central_differences_step<T>(shared_bytes);
    case Integrator::energy_conserving:
      return prepare_energy_conserving_step<T>(shared_bytes);
  }
}

// A group's, after the kernels were prepared, since it depends on their room on the device.
template <class T>
LatencyPlan plan_bodies(const GroupRange& group, bool has_frame, Integrator integrator, std::size_t shared_bytes) {
  const auto rank = static_cast<int>(group.rank);
  const bool two_points = integrator == Integrator::energy_conserving;
  const LatencyPlan plan = plan_latency<T>(rank, two_points, has_frame, shared_bytes, has_clusters());
  return can_start<T>(plan) ? plan : plan_latency<T>(rank, two_points, has_frame, shared_bytes, false);
}

bool may_fuse(Evaluation evaluation) {
  return evaluation == Evaluation::strict || evaluation == Evaluation::accurate || evaluation == Evaluation::tensor;
}

// Of models without a strain form. Latency has kernels of its own.
template <class T>
std::unique_ptr<Evaluator<T>> make_evaluator(Evaluation evaluation, std::span<const SharedModel> models,
                                             const TilePlan& plan, cudaStream_t stream) {
  if (evaluation == Evaluation::tensor) return std::make_unique<TensorEvaluator<T>>(models, stream);
  if (evaluation != Evaluation::cublas) return std::make_unique<StrictEvaluator<T>>();
  std::vector<StepShape> chunks;
  for (const Chunk& chunk : plan.chunks)
    if (!chunk.has_strain_form) chunks.push_back(chunk.shape);
  return std::make_unique<CublasEvaluator<T>>(models, plan.tiles, chunks, stream);
}

std::vector<bool> have_strain_forms(std::span<const SharedModel> models) {
  std::vector<bool> result;
  for (const SharedModel& model : models) result.push_back(model->has_strain_form());
  return result;
}

std::vector<int> chamber_counts(std::span<const SharedModel> models) {
  std::vector<int> result;
  for (const SharedModel& model : models) result.push_back(static_cast<int>(model->chambers.size()));
  return result;
}

std::vector<bool> have_frames(std::span<const SharedFrame> frames) {
  std::vector<bool> result;
  for (const SharedFrame& frame : frames) result.push_back(frame != nullptr);
  return result;
}

// The groups, if their bodies fit into the device's memory: before even the host's is allocated.
template <class T>
std::vector<BodyGroup> fitting(std::vector<BodyGroup> groups, const BatchOptions& options) {
  for (const BodyGroup& group : groups) {
    if (group.damping.rows > 0)
      throw InputError(
          "the backend 'cuda' has no place for a constant damping (BodyGroup::damping); take the backend 'cpu', or "
          "Rayleigh's damping");
    if (group.driven > 0)
      throw InputError(
          "the backend 'cuda' can't step bodies with driven coordinates (BodyGroup::driven); take the backend 'cpu'");
  }
  const DeviceGuard guard(checked_device(options.device));
  std::vector<GroupRange> ranges;
  std::vector<bool> has_strain_form;
  std::vector<int> chambers;
  std::size_t bytes = 0;
  bool has_frames = false;
  for (const BodyGroup& group : groups) {
    has_frames |= group.frame.has_value();
    ranges.push_back({0, group.bodies, group.energy.rank});
    has_strain_form.push_back(group.strain_form.rank != 0);
    chambers.push_back(static_cast<int>(group.chambers.size()));
    bytes += DeviceRange<T>::bytes(group.range);
  }
  const StateLayout layout = has_frames ? StateLayout(free_state) : reduced_state;
  require_batch_memory(bytes + bytes_of_bodies<T>(layout, ranges, has_strain_form, chambers), options.bodies);
  return groups;
}

}  // namespace

template <class T>
CudaBatch<T>::CudaBatch(std::vector<BodyGroup> groups, const BatchOptions& options)
    : BatchImpl<T>(fitting<T>(std::move(groups), options), options),
      device_(checked_device(options.device)),
      guard_(std::make_unique<DeviceGuard>(device_)),
      pitch_(padded<T>(options.bodies)) {
  make_plan(device_limits());
  make_arrays();
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
TilePlan CudaBatch<T>::planned(const DeviceLimits& limits, const Besides& besides) const {
  const BatchOptions& options = this->options();
  const std::vector<int> chambers = chamber_counts(this->models());
  return plan_tiles<T>(this->ranges(),
                       {.integrator = options.integrator,
                        .fusing = may_fuse(options.evaluation) ? fusing() : Fusing::never,
                        .on_tensor_cores = options.evaluation == Evaluation::tensor,
                        .newton_iterations = options.newton_iterations,
                        .one_by_one = options.evaluation == Evaluation::latency,
                        .has_strain_form = have_strain_forms(this->models()),
                        .has_frame = have_frames(this->frames()),
                        .has_chambers = {chambers.begin(), chambers.end()},
                        .has_gases = besides.has_gases,
                        .is_damped = besides.is_damped},
                       limits);
}

template <class T>
void CudaBatch<T>::make_plan(const DeviceLimits& limits) {
  const BatchOptions& options = this->options();
  const bool one_by_one = options.evaluation == Evaluation::latency;
  const std::vector<bool> has_strain_form = have_strain_forms(this->models());
  plan_ = planned(limits, {});
  if (!plan_.tiles.empty()) prepare_kernels<T>(options.integrator, limits.shared_bytes);
  if (!plan_.tiles.empty() && this->has_frames()) prepare_free_kernels<T>(options.integrator, limits.shared_bytes);
  if (one_by_one) prepare_latency_steps<T>(limits.shared_bytes);
  latency_plans_.resize(this->ranges().size());
  for (std::size_t g = 0; g < latency_plans_.size(); ++g)
    if (one_by_one && !has_strain_form[g])
      latency_plans_[g] =
          plan_bodies<T>(this->ranges()[g], this->frames()[g] != nullptr, options.integrator, limits.shared_bytes);
  require_batch_memory(
      bytes_of_bodies<T>(this->layout(), this->ranges(), has_strain_form, chamber_counts(this->models())) +
          bytes_of_steps<T>(this->ranges(), plan_, options),
      bodies());
}

template <class T>
void CudaBatch<T>::make_arrays() {
  const cudaStream_t s = stream_.get();
  models_ = DeviceModels<T>(this->models(), s);
  tiles_ = DeviceArray<Tile>(std::span<const Tile>(plan_.tiles), s);
  evaluator_ = make_evaluator<T>(this->options().evaluation, this->models(), plan_, s);
  frames_ = DeviceFrames<T>(this->frames(), this->motions(), pitch_, s);
  state_ = StateBlocks<T>(this->layout(), this->rank(), pitch_, s);
  if (this->has_frames()) put_at_rest();
  status_ = DeviceArray<std::int32_t>(bodies(), s);
  status_.fill_zero(s);
  host_status_.assign(static_cast<std::size_t>(bodies()), BodyStatus::ok);
  for (DeviceArray<std::uint32_t>* flags : {&flags_, &range_flags_}) {
    *flags = DeviceArray<std::uint32_t>(bodies(), s);
    flags->fill_zero(s);
  }
  host_flags_.assign(host_status_.size(), BodyFlags::none);
  host_range_flags_ = host_flags_;
  for (const ModelRange& range : this->model_ranges()) ranges_of_models_.emplace_back(range, s);
  rayleigh_mass_ = DeviceArray<T>(std::span<const T>(this->parameters().rayleigh_mass), s);
  rayleigh_stiffness_ = DeviceArray<T>(std::span<const T>(this->parameters().rayleigh_stiffness), s);
  stiffness_scale_ = DeviceArray<T>(std::span<const T>(this->parameters().stiffness_scale), s);
  pressure_ = DeviceArray<T>(std::span<const T>(this->parameters().pressure), s);
  workspace_ = StepWorkspace<T>(plan_.rows, this->options().integrator, bodies(), s);
  time_ = DeviceArray<double>(1, s);
  time_.fill_zero(s);
  substep_time_ = DeviceArray<double>(1, s);
  energies_ = DeviceArray<double>(bodies(), s);
}

// The pose of all bodies is the identity.
template <class T>
void CudaBatch<T>::put_at_rest() {
  const std::vector<T> ones(static_cast<std::size_t>(pitch_), T{1});
  check(cudaMemcpyAsync(state_.data(StateArray::pose) + 6 * pitch_, ones.data(), ones.size() * sizeof(T),
                        cudaMemcpyHostToDevice, stream_.get()),
        "copy the state to the device");
  stream_.synchronize();
}

template <class T>
BatchView<T> CudaBatch<T>::view() const {
  BatchView<T> view = {};
  view.models = models_.views();
  view.tiles = tiles_.data();
  view.q = state_.data(StateArray::q), view.velocity = state_.data(StateArray::velocity);
  view.acceleration = state_.data(StateArray::acceleration), view.force = state_.data(StateArray::force);
  view.pitch = pitch_;
  view.rayleigh_mass = rayleigh_mass_.data(), view.rayleigh_stiffness = rayleigh_stiffness_.data();
  view.stiffness_scale = stiffness_scale_.data();
  view.start_scale = curves_.start_scale.data(), view.end_scale = curves_.end_scale.data();
  view.status = status_.data(), view.flags = flags_.data();
  view.pressure = pressure_.data(), view.bodies = bodies();
  workspace_.show(view);
  if (strain_damping_) strain_damping_->show(view.strain_damping);
  if (this->has_frames()) {
    view.frame.pose = state_.data(StateArray::pose), view.frame.twist = state_.data(StateArray::twist);
    view.frame.twist_rate = state_.data(StateArray::twist_rate), view.frame.wrench = state_.data(StateArray::wrench);
    frames_.show(view.frame);
  }
  return view;
}

template <class T>
StateView<T> CudaBatch<T>::view_of(StateArray which, T* values) const {
  return {values, this->layout()[index_of(which)].rows(this->rank()), bodies(), pitch_, 1};
}

template <class T>
StateView<T> CudaBatch<T>::device_state(StateArray which) {
  host_copies_.leave_to_caller();
  return view_of(which, state_.data(which));
}

template <class T>
FrameKind CudaBatch<T>::kind_of_frame(std::size_t group) const {
  if (this->frames()[group] == nullptr) return FrameKind::none;
  return this->motions()[group] == FrameMotion::prescribed ? FrameKind::prescribed : FrameKind::free;
}

template <class T>
template <class Reset>
void CudaBatch<T>::reset_groups(const BodyStart<T>& start, cudaStream_t stream, const Reset& reset) {
  const DeviceGuard guard(device_);
  host_copies_.leave_to_caller();
  const auto rows = [](const StateView<const T>& view) {
    return StartRows<T>{view.data, view.stride_mode, view.stride_body};
  };
  const DeviceStart<T> starts{rows(start.q), rows(start.velocity), rows(start.pose), rows(start.twist)};
  const BatchView<T> batch = view();
  for (std::size_t g = 0; g < this->ranges().size(); ++g) reset(batch, this->ranges()[g], kind_of_frame(g), starts);
  if (!is_capturing(stream)) caller_work_.note(stream);
}

template <class T>
void CudaBatch<T>::reset_bodies(const std::uint8_t* mask, const BodyStart<T>& start, cudaStream_t stream) {
  reset_groups(start, stream, [&](const auto& batch, const GroupRange& group, FrameKind kind, const auto& starts) {
    quartic::cuda::reset_bodies(batch, group, kind, mask, starts, stream);
  });
}

template <class T>
void CudaBatch<T>::reset_bodies(const std::int32_t* numbers, std::int64_t count, const BodyStart<T>& start,
                                cudaStream_t stream) {
  reset_groups(start, stream, [&](const auto& batch, const GroupRange& group, FrameKind kind, const auto& starts) {
    quartic::cuda::reset_bodies(batch, group, kind, numbers, count, starts, stream);
  });
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
  if (!host_copies_.has(index_of(which))) guard.emplace(device_);  // seldom: views are asked for in loops over bodies
  return host_copies_.copy(index_of(which), to_write, state_, stream_.get());
}

template <class T>
StateView<T> CudaBatch<T>::state(StateArray which) {
  return view_of(which, host_copy(which, true));
}

template <class T>
StateView<const T> CudaBatch<T>::read_state(StateArray which) {
  return view_of(which, host_copy(which, false));
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
std::span<const BodyFlags> CudaBatch<T>::fetched(const DeviceArray<std::uint32_t>& flags,
                                                 std::vector<BodyFlags>& copy) const {
  check(cudaMemcpyAsync(copy.data(), flags.data(), flags.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
        "copy flags from the device");
  stream_.synchronize();
  return copy;
}

template <class T>
std::span<const BodyFlags> CudaBatch<T>::flags() const {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  return fetched(flags_, host_flags_);
}

template <class T>
void CudaBatch<T>::set_flags(std::span<const BodyFlags> flags) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  std::copy(flags.begin(), flags.end(), host_flags_.begin());
  check(cudaMemcpyAsync(flags_.data(), host_flags_.data(), flags_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
        "copy flags to the device");
  stream_.synchronize();
}

template <class T>
std::span<const BodyFlags> CudaBatch<T>::check_range() {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  host_copies_.send_before_work(state_, stream_.get());
  launch_range_checks(stream_.get());
  return fetched(range_flags_, host_range_flags_);
}

template <class T>
void CudaBatch<T>::check_range(cudaStream_t stream) {
  const DeviceGuard guard(device_);
  host_copies_.leave_to_caller();
  launch_range_checks(stream);
  if (!is_capturing(stream)) caller_work_.note(stream);
}

template <class T>
void CudaBatch<T>::launch_range_checks(cudaStream_t stream) const {
  for (std::size_t g = 0; g < ranges_of_models_.size(); ++g) {
    const GroupRange& group = this->ranges()[g];
    quartic::cuda::check_range(ranges_of_models_[g], state_.data(StateArray::q) + group.first_body, pitch_,
                               group.bodies, range_flags_.data() + group.first_body, flags_.data() + group.first_body,
                               stream);
  }
}

template <class T>
void CudaBatch<T>::elastic_energy(std::span<double> result) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  host_copies_.send_before_work(state_, stream_.get());
  for (std::size_t g = 0; g < this->ranges().size(); ++g) {
    const GroupRange& group = this->ranges()[g];
    elastic_energies(models_.energy(g, this->energy(g), stream_.get()), static_cast<int>(group.rank),
                     state_.data(StateArray::q) + group.first_body, pitch_, group.bodies,
                     stiffness_scale_.data() + group.first_body, energies_.data() + group.first_body, stream_.get());
  }
  copy_energies(result);
}

template <class T>
void CudaBatch<T>::kinetic_energy(std::span<double> result) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  host_copies_.send_before_work(state_, stream_.get());
  for (const GroupRange& group : this->ranges())
    kinetic_energies(static_cast<int>(group.rank), state_.data(StateArray::velocity) + group.first_body, pitch_,
                     group.bodies, energies_.data() + group.first_body, stream_.get());
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
void CudaBatch<T>::take_model(std::size_t group, const SharedModel& model) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  // An InputError comes before any change. Out of memory, or a failed device, may leave the evaluator with the old
  // energy.
  models_.set_model(group, *model, stream_.get());
  if (gases_) gases_->set_model(group, *model, stream_.get());
  if (!model->has_strain_form()) evaluator_->set_energy(group, model->energy, stream_.get());
}

template <class T>
void CudaBatch<T>::take_model_range(std::size_t group, const ModelRange& range) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  ranges_of_models_[group] = DeviceRange<T>(range, stream_.get());
}

template <class T>
void CudaBatch<T>::take_frame(std::size_t group, const SharedFrame& frame) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  frames_.set_frame(group, *frame, stream_.get());
}

// Of the same bodies, which may have something new besides. All that may fail is in here.
template <class T>
auto CudaBatch<T>::plan_steps(const DeviceLimits& limits, const Besides& besides) -> PlannedSteps {
  const cudaStream_t s = stream_.get();
  TilePlan plan = planned(limits, besides);
  require_batch_memory(bytes_of_steps<T>(this->ranges(), plan, this->options()), bodies());
  DeviceArray<Tile> tiles(std::span<const Tile>(plan.tiles), s);
  std::unique_ptr<Evaluator<T>> evaluator = make_evaluator<T>(this->options().evaluation, this->models(), plan, s);
  StepWorkspace<T> workspace(plan.rows, this->options().integrator, bodies(), s);
  return {std::move(plan), std::move(tiles), std::move(evaluator), std::move(workspace)};
}

template <class T>
void CudaBatch<T>::take_steps(PlannedSteps steps, Besides besides) {
  plan_ = std::move(steps.plan);
  tiles_ = std::move(steps.tiles);
  evaluator_ = std::move(steps.evaluator);
  workspace_ = std::move(steps.workspace);
  besides_ = std::move(besides);
}

// Bodies with gases have no place in the fused kernel: the plan changes as the first one comes and the last one goes.
template <class T>
void CudaBatch<T>::take_gases(const BodyParameters<T>& parameters) {
  const bool has_gases = !parameters.gas.empty();
  if (!has_gases && !gases_) return;
  const cudaStream_t s = stream_.get();
  if (has_gases && gases_) {
    gases_->set(parameters, s);
  } else {
    const DeviceLimits limits = device_limits();
    std::optional<DeviceGases<T>> gases;
    if (has_gases) {
      gases.emplace(this->models(), parameters, s);
      prepare_gases<T>(limits.shared_bytes);
    }
    const Besides besides{has_gases, besides_.is_damped};
    take_steps(plan_steps(limits, besides), besides);
    gases_ = std::move(gases);
  }
  graph_.forget();
  ++memory_changes_;
}

// Nor have groups that are damped by strain rates.
template <class T>
void CudaBatch<T>::take_strain_dampings(const std::vector<SharedStrainDamping>& forms, std::span<const T> time) {
  if (time.empty() && !strain_damping_) return;
  const DeviceGuard guard(device_);
  caller_work_.wait();
  const cudaStream_t s = stream_.get();
  if (strain_damping_ && !time.empty() && forms == this->strain_dampings()) return strain_damping_->set_time(time, s);
  Besides besides{besides_.has_gases, {}};
  std::optional<DeviceStrainDamping<T>> damping;
  if (!time.empty()) {
    for (const SharedStrainDamping& form : forms) besides.is_damped.push_back(form != nullptr);
    std::vector<int> ranks;
    for (const GroupRange& group : this->ranges()) ranks.push_back(static_cast<int>(group.rank));
    const std::int64_t single_bodies = this->options().evaluation == Evaluation::latency ? bodies() : 0;
    require_batch_memory(DeviceStrainDamping<T>::bytes(forms, ranks, bodies(), single_bodies), bodies());
    damping.emplace(forms, ranks, time, single_bodies, s);
  }
  take_steps(plan_steps(device_limits(), besides), besides);
  strain_damping_ = std::move(damping);
  graph_.forget();
  ++memory_changes_;
}

template class CudaBatch<float>;
template class CudaBatch<double>;

}  // namespace quartic::cuda
