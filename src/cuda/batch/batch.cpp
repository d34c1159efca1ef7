#include "cuda/batch/batch.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/aligned_array.hpp"
#include "core/batch/time_stepping.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/batch/body_energies.hpp"
#include "cuda/batch/fused_step.hpp"
#include "cuda/batch/integrators.hpp"
#include "cuda/batch/latency_steps.hpp"
#include "cuda/energy/cublas_product.hpp"
#include "cuda/energy/model_image.hpp"
#include "cuda/energy/step_progress.hpp"
#include "cuda/energy/strain_image.hpp"
#include "cuda/energy/tensor_image.hpp"
#include "cuda/energy/tensor_product.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

static_assert(static_cast<std::int32_t>(BodyStatus::regularised) == status_regularised);
static_assert(static_cast<std::int32_t>(BodyStatus::diverged) == status_diverged);
static_assert(sizeof(BodyStatus) == sizeof(std::int32_t));

std::string megabytes(std::size_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

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

// Of the current device.
void require_memory(std::size_t bytes, std::int64_t bodies) {
  const auto [available, total] = device_memory();
  if (bytes > available)
    throw InputError("a batch of " + std::to_string(bodies) + " bodies needs " + megabytes(bytes) +
                     " of device memory, but " + megabytes(available) + " of " + megabytes(total) +
                     " are free; make smaller batches");
}

bool may_fuse(Evaluation evaluation) {
  return evaluation == Evaluation::strict || evaluation == Evaluation::tensor;
}

// State and parameters of the bodies, and coefficients of their models.
template <class T>
std::size_t bytes_of_bodies(const std::vector<GroupRange>& groups, Evaluation evaluation) {
  std::size_t bytes = 0, largest_rank = 0, bodies = 0;
  for (const GroupRange& group : groups) {
    bytes += static_cast<std::size_t>(coefficient_count<T>(static_cast<int>(group.rank))) * sizeof(T);
    bytes += static_cast<std::size_t>(quartic_coefficient_count(group.rank)) * sizeof(double);  // if energies are asked
    if (evaluation == Evaluation::accurate)
      bytes += static_cast<std::size_t>(strain_image_size<T>(static_cast<int>(group.rank))) * sizeof(T);
    largest_rank = std::max(largest_rank, static_cast<std::size_t>(group.rank));
    bodies += static_cast<std::size_t>(group.bodies);
  }
  constexpr std::size_t parameters = 5;  // damping, scales of forces, the last residual
  return bytes + bodies * ((4 * largest_rank + parameters) * sizeof(T) + sizeof(std::int32_t) + sizeof(std::uint8_t) +
                           sizeof(double));
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

// Its memory, at most. cuBLAS: monomials are about as many as rows of H, and coefficients are there once more.
template <class T>
std::size_t product_bytes(Evaluation evaluation, const std::vector<GroupRange>& groups, const TilePlan& plan) {
  std::size_t bytes = 0;
  if (evaluation == Evaluation::tensor)
    for (const GroupRange& group : groups) bytes += tensor_bytes<T>(static_cast<int>(group.rank));
  if (evaluation == Evaluation::cublas)
    bytes = CublasProduct<T>::library_bytes + static_cast<std::size_t>(2 * plan.rows.h * tile_bodies) * sizeof(T);
  return bytes;
}

// Moves the groups but for their strain forms out, if their bodies fit into the device's memory: before even the
// host's is allocated.
template <class T>
std::vector<BodyGroup> take_fitting(std::vector<BodyGroup>& groups, const BatchOptions& options) {
  const DeviceGuard guard(checked_device(options.device));
  std::vector<GroupRange> ranges;
  ranges.reserve(groups.size());
  for (const BodyGroup& group : groups) ranges.push_back({0, group.bodies, group.energy.rank});
  require_memory(bytes_of_bodies<T>(ranges, options.evaluation), options.bodies);
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
  const DeviceLimits limits = device_limits();
  const bool one_by_one = options.evaluation == Evaluation::latency;
  if (one_by_one)
    latency_plans_ = plan_bodies<T>(this->ranges(), options.integrator, limits.shared_bytes);
  else
    plan_ = plan_tiles<T>(this->ranges(),
                          {.integrator = options.integrator,
                           .fusing = may_fuse(options.evaluation) ? fusing() : Fusing::never,
                           .on_tensor_cores = options.evaluation == Evaluation::tensor,
                           .iterates = options.newton_iterations > 1,
                           .with_strains = options.evaluation == Evaluation::accurate},
                          limits);
  require_memory(bytes_of_bodies<T>(this->ranges(), options.evaluation) +
                     product_bytes<T>(options.evaluation, this->ranges(), plan_) + plan_.tiles.size() * sizeof(Tile) +
                     workspace_bytes<T>(plan_.rows, options.integrator),
                 bodies());
  std::vector<std::vector<T>> coefficients;
  for (std::size_t g = 0; g < this->ranges().size(); ++g)
    coefficients.push_back(packed_coefficients<T>(this->energy(g)));
  if (!one_by_one) prepare_kernels<T>(options.integrator, limits.shared_bytes);
  make_models(coefficients, groups);
  product_ = make_product<T>(options.evaluation, this->energies(), plan_, stream_.get());

  const cudaStream_t s = stream_.get();
  for (DeviceArray<T>& array : state_) {
    array = DeviceArray<T>(this->rank() * pitch_, s);
    array.fill_zero(s);
  }
  make_workspace();
  status_ = DeviceArray<std::int32_t>(bodies(), s);
  status_.fill_zero(s);
  host_status_.assign(static_cast<std::size_t>(bodies()), BodyStatus::ok);
  progress_ = DeviceArray<std::uint8_t>(bodies(), s);
  time_ = DeviceArray<double>(1, s);
  time_.fill_zero(s);
  substep_time_ = DeviceArray<double>(1, s);
  energies_ = DeviceArray<double>(bodies(), s);
  rayleigh_mass_ = DeviceArray<T>(bodies(), s);
  rayleigh_stiffness_ = DeviceArray<T>(bodies(), s);
  rayleigh_mass_.copy_from(this->parameters().rayleigh_mass, s);
  rayleigh_stiffness_.copy_from(this->parameters().rayleigh_stiffness, s);
  stream_.synchronize();
  guard_.reset();
}

template <class T>
CudaBatch<T>::~CudaBatch() {
  try {
    guard_ = std::make_unique<DeviceGuard>(device_);  // while the members are destroyed
    wait_for_callers();
  } catch (const Error&) {  // the device has failed, or the program is at its end: nothing left to save
  }
}

template <class T>
void CudaBatch<T>::make_models(const std::vector<std::vector<T>>& coefficients, const std::vector<BodyGroup>& groups) {
  const bool accurate = this->options().evaluation == Evaluation::accurate;
  std::vector<ModelView<T>> views;
  for (std::size_t g = 0; g < coefficients.size(); ++g) {
    const int rank = static_cast<int>(this->ranges()[g].rank);
    models_.push_back({DeviceArray<T>(std::span<const T>(coefficients[g]), stream_.get()),
                       DeviceArray<MonomialPair>(std::span<const MonomialPair>(monomial_pairs<T>(rank)), stream_.get()),
                       {},
                       {},
                       {}});
    views.push_back({models_[g].coefficients.data(), models_[g].pairs.data(), rank, h_row_count(rank),
                     row_block_count<T>(rank), monomial_count<T>(rank), nullptr, nullptr, 0});
    if (accurate) add_strains(groups[g].strain_form, models_[g], views[g]);
  }
  model_views_ = DeviceArray<ModelView<T>>(std::span<const ModelView<T>>(views), stream_.get());
  tiles_ = DeviceArray<Tile>(std::span<const Tile>(plan_.tiles), stream_.get());
}

template <class T>
void CudaBatch<T>::add_strains(const StrainForm& form, Model& model, ModelView<T>& view) const {
  const StrainImage<T> image = strain_image<T>(form);
  model.strain_factor = DeviceArray<T>(std::span<const T>(image.factor), stream_.get());
  model.strain_transposed = DeviceArray<T>(std::span<const T>(image.transposed), stream_.get());
  view.row_blocks = stiffness_block_count<T>(form.rank);
  view.strain_factor = model.strain_factor.data(), view.strain_transposed = model.strain_transposed.data();
  view.strain_blocks = strain_block_count<T>(form.rank);
}

template <class T>
void CudaBatch<T>::make_workspace() {
  const auto rows = [&](std::int64_t count) { return DeviceArray<T>(count * tile_bodies, stream_.get()); };
  points_ = rows(plan_.rows.points);
  h_ = rows(plan_.rows.h);
  increment_ = rows(plan_.rows.vectors);
  system_ = rows(plan_.rows.system);
  strains_ = rows(plan_.rows.strains);
  if (this->options().integrator == Integrator::energy_conserving) {
    second_points_ = rows(plan_.rows.points);
    second_h_ = rows(plan_.rows.h);
    last_squares_ = DeviceArray<T>(bodies(), stream_.get());
  }
}

template <class T>
BatchView<T> CudaBatch<T>::view() const {
  BatchView<T> view = {};
  view.models = model_views_.data();
  view.tiles = tiles_.data();
  view.q = state_[0].data(), view.velocity = state_[1].data(), view.acceleration = state_[2].data();
  view.force = state_[3].data();
  view.pitch = pitch_;
  view.rayleigh_mass = rayleigh_mass_.data(), view.rayleigh_stiffness = rayleigh_stiffness_.data();
  view.start_scale = curves_.start_scale.data(), view.end_scale = curves_.end_scale.data();
  view.status = status_.data();
  view.progress = progress_.data();
  view.last_squares = last_squares_.data();
  view.points = points_.data(), view.second_points = second_points_.data();
  view.h = h_.data(), view.second_h = second_h_.data();
  view.increment = increment_.data();
  view.product = product_.get();
  if (product_ != nullptr) view.tensor_images = product_->tensor_images();
  view.system = system_.data();
  view.strains = strains_.data();
  return view;
}

// Host calls come after it.
template <class T>
void CudaBatch<T>::note_caller_work(cudaStream_t stream) {
  check(cudaEventRecord(caller_work_.get(), stream), "record an event");
  callers_at_work_ = true;
}

template <class T>
void CudaBatch<T>::wait_for_callers() const {
  if (callers_at_work_) check(cudaEventSynchronize(caller_work_.get()), "finish the work of a stream");
}

template <class T>
StateView<T> CudaBatch<T>::device_state(StateArray which) {
  copies_are_explicit_ = true;
  return {state_[static_cast<std::size_t>(which)].data(), this->rank(), bodies(), pitch_, 1};
}

template <class T>
void CudaBatch<T>::send(cudaStream_t stream) {
  const DeviceGuard guard(device_);
  copies_are_explicit_ = true;
  send_all(stream);
  if (!is_capturing(stream)) note_caller_work(stream);
}

template <class T>
void CudaBatch<T>::fetch(cudaStream_t stream) {
  const DeviceGuard guard(device_);
  copies_are_explicit_ = true;
  for (std::size_t n = 0; n < std::size(host_); ++n) fetch(n, stream);
  if (!is_capturing(stream)) note_caller_work(stream);
}

template <class T>
void CudaBatch<T>::send_all(cudaStream_t stream) {
  for (std::size_t n = 0; n < std::size(host_); ++n)
    if (host_[n].may_be_written)
      check(
          cudaMemcpyAsync(state_[n].data(), host_[n].values.data(), state_[n].bytes(), cudaMemcpyHostToDevice, stream),
          "copy the state to the device");
}

template <class T>
void CudaBatch<T>::fetch(std::size_t array, cudaStream_t stream) {
  if (host_[array].values.size() > 0)
    check(cudaMemcpyAsync(host_[array].values.data(), state_[array].data(), state_[array].bytes(),
                          cudaMemcpyDeviceToHost, stream),
          "copy the state from the device");
}

template <class T>
auto CudaBatch<T>::host_copy(StateArray which) -> HostCopy& {
  const auto n = static_cast<std::size_t>(which);
  HostCopy& copy = host_[n];
  wait_for_callers();
  if (copy.values.size() > 0) return copy;  // the usual case, also within loops over bodies
  const DeviceGuard guard(device_);
  PinnedArray<T> values(state_[n].size());
  std::swap(copy.values, values);
  fetch(n, stream_.get());
  stream_.synchronize();
  return copy;
}

template <class T>
StateView<T> CudaBatch<T>::state(StateArray which) {
  HostCopy& copy = host_copy(which);
  copy.may_be_written = true;
  return {copy.values.data(), this->rank(), bodies(), pitch_, 1};
}

template <class T>
StateView<const T> CudaBatch<T>::read_state(StateArray which) {
  return {host_copy(which).values.data(), this->rank(), bodies(), pitch_, 1};
}

template <class T>
std::span<const BodyStatus> CudaBatch<T>::status() const {
  const DeviceGuard guard(device_);
  wait_for_callers();
  check(cudaMemcpyAsync(host_status_.data(), status_.data(), status_.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
        "copy the status from the device");
  stream_.synchronize();
  return host_status_;
}

template <class T>
void CudaBatch<T>::set_status(std::span<const BodyStatus> status) {
  const DeviceGuard guard(device_);
  wait_for_callers();
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
  wait_for_callers();
  if (!copies_are_explicit_) send_all(stream_.get());
  for (std::size_t g = 0; g < models_.size(); ++g) {
    const GroupRange& group = this->ranges()[g];
    if (models_[g].energy.size() == 0)
      models_[g].energy = DeviceArray<double>(std::span<const double>(this->energy(g).coefficients), stream_.get());
    elastic_energies(models_[g].energy.data(), static_cast<int>(group.rank), state_[0].data() + group.first_body,
                     pitch_, group.bodies, energies_.data() + group.first_body, stream_.get());
  }
  copy_energies(result);
}

template <class T>
void CudaBatch<T>::kinetic_energy(std::span<double> result) {
  const DeviceGuard guard(device_);
  wait_for_callers();
  if (!copies_are_explicit_) send_all(stream_.get());
  for (const GroupRange& group : this->ranges())
    kinetic_energies(static_cast<int>(group.rank), state_[1].data() + group.first_body, pitch_, group.bodies,
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
  wait_for_callers();
  double time = 0;
  check(cudaMemcpyAsync(&time, time_.data(), sizeof(time), cudaMemcpyDeviceToHost, stream_.get()),
        "copy the time from the device");
  stream_.synchronize();
  return time;
}

template <class T>
void CudaBatch<T>::set_time(double time) {
  const DeviceGuard guard(device_);
  wait_for_callers();
  time_.copy_from(std::span<const double>(&time, 1), stream_.get());
}

template <class T>
void CudaBatch<T>::take_energy(std::size_t group, const QuarticEnergy& energy) {
  const std::vector<T> coefficients = packed_coefficients<T>(energy);
  const DeviceGuard guard(device_);
  wait_for_callers();
  models_[group].coefficients.copy_from(coefficients, stream_.get());
  if (product_ != nullptr) product_->set_energy(group, energy, stream_.get());
  models_[group].energy = {};
}

template <class T>
void CudaBatch<T>::take_parameters(const BodyParameters<T>& parameters) {
  const DeviceGuard guard(device_);
  wait_for_callers();
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
