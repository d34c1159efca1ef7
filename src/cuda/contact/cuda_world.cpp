#include "cuda/contact/cuda_world.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "core/batch/time_stepping.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/batch/batch_memory.hpp"
#include "cuda/contact/detect.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

static_assert(static_cast<std::uint32_t>(BodyFlags::contacts_lost) == flag_contacts_lost);
static_assert(static_cast<std::uint32_t>(BodyFlags::too_fast) == flag_too_fast);

// Room before it is known what bodies need.
constexpr std::int64_t least_room = 1024, room_per_body = 16;
// Of shared memory, that kernels have besides what they are given.
constexpr std::size_t fixed_shared_bytes = 1024;

NearShape shape_of_steps(const BoundTrees& trees, std::span<const SharedFrame> frames) {
  const DeviceLimits limits = device_limits();
  NearShape shape = {.shared_bytes = 0, .multiprocessors = limits.multiprocessors, .flies = false};
  int rank = 0;
  for (std::size_t g = 0; g < trees.size(); ++g) {
    if (trees[g] == nullptr) continue;
    shape.shared_bytes = std::max(shape.shared_bytes, near_shared_bytes(trees[g]->rank, frames[g] != nullptr));
    shape.flies = shape.flies || frames[g] != nullptr;
    rank = std::max(rank, trees[g]->rank);
  }
  if (shape.shared_bytes + fixed_shared_bytes > limits.shared_bytes)
    throw InputError("contacts of bodies of rank " + std::to_string(rank) + " take " +
                     std::to_string(shape.shared_bytes / 1000) +
                     " kB of a block's memory, more than this device has; take the backend 'cpu', or a smaller rank");
  return shape;
}

std::vector<std::int32_t> groups_of_bodies(std::span<const GroupRange> ranges) {
  std::vector<std::int32_t> groups;
  for (std::size_t g = 0; g < ranges.size(); ++g)
    groups.insert(groups.end(), static_cast<std::size_t>(ranges[g].bodies), static_cast<std::int32_t>(g));
  return groups;
}

}  // namespace

template <class T>
CudaWorld<T>::CudaWorld(CudaBatch<T>& batch, const BoundTrees& trees, const ContactOptions& options)
    : batch_(batch),
      device_(batch.device()),
      guard_(std::make_unique<DeviceGuard>(device_)),
      options_(options),
      near_shape_(shape_of_steps(trees, batch.frames())) {
  require_batch_memory(bytes(trees, least_room + room_per_body * bodies()), bodies());
  make_arrays(trees);
  prepare_near_steps<T>(near_shape_.shared_bytes);
  stream_.synchronize();
  guard_.reset();
}

template <class T>
CudaWorld<T>::~CudaWorld() {
  try {
    guard_ = std::make_unique<DeviceGuard>(device_);  // while the members are destroyed
    caller_work_.wait();
  } catch (const Error&) {  // the device has failed, or the program is at its end: nothing left to save
  }
}

template <class T>
void CudaWorld<T>::make_arrays(const BoundTrees& trees) {
  const cudaStream_t s = stream_.get();
  const std::int64_t pitch = batch_.view().pitch;
  known_models_ = batch_.models();
  known_frames_ = batch_.frames();
  known_memory_ = batch_.memory_changes();
  if constexpr (!std::is_same_v<T, double>) {
    models_ = DeviceModels<double>(known_models_, s);
    frames_ = DeviceFrames<double>(known_frames_, batch_.motions(), pitch, s);
  }
  trees_ = DeviceTrees(trees, known_frames_, s);
  groups_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(groups_of_bodies(batch_.ranges())), s);
  for (DeviceArray<std::int32_t>* array : {&outcomes_, &status_}) *array = DeviceArray<std::int32_t>(bodies(), s);
  flags_ = DeviceArray<std::uint32_t>(bodies(), s);
  next_ = StateBlocks<T>(batch_.layout(), batch_.rank(), pitch, s);
  saved_ = SavedState<T>(batch_, s);
  candidates_ = Candidates(bodies(), least_room + room_per_body * bodies(), s);
  for (DeviceArray<double>* array : {&wrench_, &impulse_}) {
    *array = DeviceArray<double>(6 * bodies(), s);
    array->fill_zero(s);
  }
  for (DeviceArray<std::int64_t>* array : {&touching_, &firsts_}) *array = DeviceArray<std::int64_t>(bodies(), s);
  touching_count_ = DeviceArray<std::int64_t>(1, s);
  touching_count_.fill_zero(s);
  sums_ = PrefixSums(bodies(), s);
  near_bodies_ = NearBodies(kinds(trees), known_models_, known_frames_, s);
}

template <class T>
std::vector<NearKind> CudaWorld<T>::kinds(const BoundTrees& trees) const {
  std::vector<NearKind> result;
  for (std::size_t g = 0; g < trees.size(); ++g)
    result.push_back({batch_.ranges()[g], trees[g] != nullptr, batch_.frames()[g] != nullptr});
  return result;
}

template <class T>
std::size_t CudaWorld<T>::bytes(const BoundTrees& trees, std::int64_t capacity) const {
  const std::vector<bool> no_strain_forms(trees.size());
  const std::vector<int> no_chambers(trees.size());
  std::size_t result = DeviceTrees::bytes(trees) + Candidates::bytes(bodies(), capacity) +
                       NearBodies::bytes(kinds(trees)) +
                       2 * bytes_of_bodies<T>(batch_.layout(), batch_.ranges(), no_strain_forms,
                                              no_chambers);  // next and saved
  if constexpr (!std::is_same_v<T, double>)
    for (const GroupRange& group : batch_.ranges())
      result += DeviceModels<double>::bytes(static_cast<int>(group.rank), false) +
                DeviceFrames<double>::bytes(static_cast<int>(group.rank));
  return result;
}

template <class T>
bool CudaWorld<T>::has_old_models() const {
  return known_models_ != batch_.models() || known_frames_ != batch_.frames();
}

// Energies and moments that groups have got since.
template <class T>
void CudaWorld<T>::take_models() {
  if (!has_old_models()) return;
  const cudaStream_t s = stream_.get();
  if constexpr (!std::is_same_v<T, double>)
    for (std::size_t g = 0; g < known_models_.size(); ++g) {
      models_.set_model(g, *batch_.models()[g], s);
      if (batch_.frames()[g] != nullptr) frames_.set_frame(g, *batch_.frames()[g], s);
    }
  trees_.set_frames(batch_.frames(), s);
  near_bodies_.set_models(batch_.models(), batch_.frames(), s);
  known_models_ = batch_.models();
  known_frames_ = batch_.frames();
}

template <class T>
void CudaWorld<T>::take_memory() {
  if (known_memory_ != batch_.memory_changes()) graph_.forget();
  known_memory_ = batch_.memory_changes();
}

template <class T>
void CudaWorld<T>::make_room(std::int64_t needed) {
  if (needed <= candidates_.capacity()) return;
  require_batch_memory(Candidates::bytes(0, needed - candidates_.capacity()), bodies());
  graph_.forget();
  candidates_.reserve(needed, stream_.get());
  stream_.synchronize();
}

template <class T>
WorldView<T> CudaWorld<T>::view(double h) const {
  const BatchOptions& options = batch_.options();
  WorldView<T> world = {};
  world.batch = batch_.view();
  world.curves = batch_.curves();
  world.time = batch_.device_time();
  world.bodies = bodies();
  world.rank = batch_.rank();
  world.groups = groups_.data();
  world.trees = trees_.views();
  if constexpr (std::is_same_v<T, double>) {
    world.models = world.batch.models;
    world.frames = world.batch.frame.models;
  } else {
    FrameArrays<double> arrays = {};
    frames_.show(arrays);
    world.models = models_.views();
    world.frames = arrays.models;
  }
  world.shapes = shapes_.view();
  world.candidates = candidates_.view();
  world.near = near_bodies_.view();
  const bool has_frames = batch_.has_frames();
  const auto rows = [&](StateArray which) { return next_.data(which); };
  world.next = {rows(StateArray::q),
                rows(StateArray::velocity),
                rows(StateArray::acceleration),
                has_frames ? rows(StateArray::pose) : nullptr,
                has_frames ? rows(StateArray::twist) : nullptr,
                has_frames ? rows(StateArray::twist_rate) : nullptr,
                reinterpret_cast<Outcome*>(outcomes_.data()),
                status_.data(),
                flags_.data()};
  world.readout = {wrench_.data(), impulse_.data(),        touching_.data(),
                   firsts_.data(), touching_count_.data(), candidates_.contacts()};
  world.settings = {.step = step_settings<double>(options, h),
                    .spin = spin_settings<double>(options, h),
                    .takes_mean = options.integrator == Integrator::newmark,
                    .law = {options_.stiffness, options_.dissipation, options_.friction, options_.friction_velocity},
                    .iterations = options_.iterations,
                    .tolerance = options_.tolerance};
  return world;
}

// Bodies with candidates are stepped from the start of a step, then all as the batch does it, and then those get their
// own states.
template <class T>
void CudaWorld<T>::launch_steps(double h, int substeps, cudaStream_t stream) {
  const WorldView<T> world = view(h);
  check(cudaMemsetAsync(impulse_.data(), 0, impulse_.bytes(), stream), "clear impulses");
  for (int n = 0; n < substeps; ++n) {
    move_shapes(world.shapes, h, stream);
    count_candidates(world, stream);
    sums_.run(world.candidates.counts, world.candidates.firsts, stream);
    drop_what_does_not_fit(world, stream);
    fill_candidates(world, stream);
    sums_.run(world.near.has_candidates, world.near.before, stream);
    seat_near_bodies(world, stream);
    step_near_bodies(world, near_shape_, stream);
    batch_.launch_steps(h, 1, stream);
    put_near_bodies(world, stream);
  }
  sums_.run(world.readout.counts, world.readout.firsts, stream);
  list_contacts(world, stream);
}

template <class T>
void CudaWorld<T>::run_steps(double h, int substeps, cudaStream_t stream) {
  graph_.run(h, substeps, stream, stream_.get(), [&](cudaStream_t s) { launch_steps(h, substeps, s); });
}

template <class T>
void CudaWorld<T>::step(double dt, int substeps, std::vector<Collider>& colliders) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  take_models();
  take_memory();
  send_colliders(colliders);
  batch_.run([&](cudaStream_t stream) {
    saved_.save(batch_, stream);
    for (;;) {
      run_steps(dt / substeps, substeps, stream);
      const std::int64_t needed = candidates_.needed(stream);
      if (needed <= candidates_.capacity()) return;
      make_room(needed + needed / 4);
      saved_.restore(batch_, stream);
      shapes_.send(colliders, stream);
    }
  });
  shapes_.fetch(colliders, stream_.get());
}

template <class T>
void CudaWorld<T>::step(double dt, int substeps, std::span<const Collider> colliders, cudaStream_t stream) {
  const DeviceGuard guard(device_);
  if (!shapes_.has_shapes_of(colliders))
    throw InputError("the world's colliders have other shapes than those on the device; call send_colliders before");
  if (is_capturing(stream)) {
    if (has_old_models())
      throw InputError("a group has got another model; step the world once outside of the capture before");
    return batch_.run(stream, [&](cudaStream_t s) { launch_steps(dt / substeps, substeps, s); });
  }
  take_models();
  take_memory();
  batch_.run(stream, [&](cudaStream_t s) { run_steps(dt / substeps, substeps, s); });
  caller_work_.note(stream);
}

template <class T>
void CudaWorld<T>::send_colliders(std::span<const Collider> colliders) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  if (!shapes_.has_shapes_of(colliders)) {
    graph_.forget();
    shapes_.set_shapes(colliders, stream_.get());
  }
  shapes_.send(colliders, stream_.get());
}

template <class T>
void CudaWorld<T>::reserve(std::int64_t count) {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  make_room(count);
}

template <class T>
DeviceContacts CudaWorld<T>::device_contacts() const {
  const CandidatesView candidates = candidates_.view();
  return {.contacts = candidates_.contacts(),
          .count = touching_count_.data(),
          .needed = candidates.needed,
          .capacity = candidates.capacity,
          .wrench = wrench_.data(),
          .impulse = impulse_.data(),
          .colliders = shapes_.view().poses};
}

template <class T>
std::span<const Contact> CudaWorld<T>::contacts() {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  const cudaStream_t s = stream_.get();
  std::int64_t count = 0;
  check(cudaMemcpyAsync(&count, touching_count_.data(), sizeof(count), cudaMemcpyDeviceToHost, s), "copy a count");
  stream_.synchronize();
  host_contacts_.resize(static_cast<std::size_t>(count));
  if (count == 0) return {};
  check(cudaMemcpyAsync(host_contacts_.data(), candidates_.contacts(), host_contacts_.size() * sizeof(Contact),
                        cudaMemcpyDeviceToHost, s),
        "copy contacts from the device");
  stream_.synchronize();
  return host_contacts_;
}

template <class T>
std::span<const double> CudaWorld<T>::fetched(const DeviceArray<double>& from, std::vector<double>& to) const {
  const DeviceGuard guard(device_);
  caller_work_.wait();
  to.resize(static_cast<std::size_t>(from.size()));
  check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
        "copy forces from the device");
  stream_.synchronize();
  return to;
}

template class CudaWorld<float>;
template class CudaWorld<double>;

}  // namespace quartic::cuda
