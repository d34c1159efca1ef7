// The functions of quartic/cuda.hpp for batches.
#include <string>

#include "core/batch/batch_checks.hpp"
#include "cuda/base/device_pointer.hpp"
#include "cuda/base/strided_copy.hpp"
#include "cuda/batch/batch.hpp"
#include "quartic/cuda.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

template <class T>
void require_on_device(const Batch<T>& batch) {
  if (batch.options().backend != Backend::cuda)
    throw InputError("this batch is on the backend 'cpu'; make it with BatchOptions::backend = Backend::cuda");
}

template <class T>
CudaBatch<T>& on_device(Batch<T>& batch) {
  require_on_device(batch);
  return static_cast<CudaBatch<T>&>(batch.impl());
}

// Of the first pointer that is of one; the current device if both are memory that all can use.
int device_of(const void* a, const void* b) {
  for (const void* pointer : {a, b}) {
    cudaPointerAttributes attributes = {};
    check(cudaPointerGetAttributes(&attributes, pointer), "look at a pointer");
    if (attributes.type == cudaMemoryTypeDevice) return attributes.device;
  }
  int current = 0;
  check(cudaGetDevice(&current), "find the current device");
  return current;
}

template <class T>
void copy_views(const StateView<const T>& from, const StateView<T>& to, cudaStream_t stream) {
  check_equal_shapes(from.rank, from.bodies, to.rank, to.bodies);
  if (from.rank < 0 || from.bodies < 0) throw InputError("copy_state needs views of a shape that isn't negative");
  if (from.rank == 0 || from.bodies == 0) return;
  const int device = device_of(to.data, from.data);
  require_device_pointer(from.data, device, "the source of copy_state");
  require_device_pointer(to.data, device, "the target of copy_state");
  const DeviceGuard guard(device);
  copy_strided(from.data, from.stride_mode, from.stride_body, to.data, to.stride_mode, to.stride_body, from.rank,
               from.bodies, stream);
}

}  // namespace

template <class T>
DeviceState<T> device_state(Batch<T>& batch) {
  CudaBatch<T>& impl = on_device(batch);
  const auto rigid = [&](StateArray which) { return impl.has_frames() ? impl.device_state(which) : StateView<T>{}; };
  return {impl.device_state(StateArray::q),
          impl.device_state(StateArray::velocity),
          impl.device_state(StateArray::acceleration),
          impl.device_state(StateArray::force),
          impl.device_status(),
          impl.device_flags(),
          impl.device_range_flags(),
          rigid(StateArray::pose),
          rigid(StateArray::twist),
          rigid(StateArray::twist_rate),
          rigid(StateArray::wrench),
          impl.device_pressure()};
}

template <class T>
int device(const Batch<T>& batch) {
  require_on_device(batch);
  return static_cast<const CudaBatch<T>&>(batch.impl()).device();
}

template <class T>
void step(Batch<T>& batch, double dt, int substeps, cudaStream_t stream) {
  CudaBatch<T>& impl = on_device(batch);
  check_step<T>(dt, substeps);
  impl.step(dt / substeps, substeps, stream);
}

template <class T>
void check_range(Batch<T>& batch, cudaStream_t stream) {
  on_device(batch).check_range(stream);
}

template <class T>
void check_start(Batch<T>& batch, const BodyStart<T>& start) {
  check_start_shapes(batch, start);
  for (const StateView<const T>& view : {start.q, start.velocity})
    if (view.data != nullptr && view.rank < batch.rank())
      throw InputError("the start's q and velocity must have a row for each of the " + std::to_string(batch.rank()) +
                       " coordinates, not " + std::to_string(view.rank));
  for (const StateView<const T>& view : {start.q, start.velocity, start.pose, start.twist})
    if (view.data != nullptr) require_device_pointer(view.data, device(batch), "a start of reset_bodies");
}

template <class T>
void reset_bodies(Batch<T>& batch, const std::uint8_t* mask, const BodyStart<T>& start, cudaStream_t stream) {
  CudaBatch<T>& impl = on_device(batch);
  check_start(batch, start);
  require_device_pointer(mask, impl.device(), "the mask of reset_bodies");
  impl.reset_bodies(mask, start, stream);
}

template <class T>
void reset_bodies(Batch<T>& batch, const std::int32_t* numbers, std::int64_t count, const BodyStart<T>& start,
                  cudaStream_t stream) {
  CudaBatch<T>& impl = on_device(batch);
  check_start(batch, start);
  if (count < 0) throw InputError("reset_bodies was given " + std::to_string(count) + " numbers of bodies");
  if (count == 0) return;
  require_device_pointer(numbers, impl.device(), "the numbers of reset_bodies");
  impl.reset_bodies(numbers, count, start, stream);
}

template <class T>
void set_rayleigh_damping(Batch<T>& batch, const T* mass, const T* stiffness, cudaStream_t stream) {
  CudaBatch<T>& impl = on_device(batch);
  require_device_pointer(mass, impl.device(), "rayleigh_mass");
  require_device_pointer(stiffness, impl.device(), "rayleigh_stiffness");
  impl.set_rayleigh_damping(mass, stiffness, stream);
}

template <class T>
void set_stiffness_scale(Batch<T>& batch, const T* scale, cudaStream_t stream) {
  CudaBatch<T>& impl = on_device(batch);
  require_device_pointer(scale, impl.device(), "stiffness_scale");
  impl.set_stiffness_scale(scale, stream);
}

template <class T>
void set_pressure(Batch<T>& batch, const T* pressure, int chamber, cudaStream_t stream) {
  CudaBatch<T>& impl = on_device(batch);
  check_chamber(chamber, impl.chamber_count());
  require_device_pointer(pressure, impl.device(), "pressure");
  impl.set_pressure(pressure, chamber, stream);
}

template <class T>
void send(Batch<T>& batch, cudaStream_t stream) {
  on_device(batch).send(stream);
}

template <class T>
void fetch(Batch<T>& batch, cudaStream_t stream) {
  on_device(batch).fetch(stream);
}

void copy_state(StateView<const float> from, StateView<float> to, cudaStream_t stream) {
  copy_views(from, to, stream);
}
void copy_state(StateView<const double> from, StateView<double> to, cudaStream_t stream) {
  copy_views(from, to, stream);
}

template QUARTIC_EXPORT DeviceState<float> device_state(Batch<float>&);
template QUARTIC_EXPORT DeviceState<double> device_state(Batch<double>&);
template QUARTIC_EXPORT int device(const Batch<float>&);
template QUARTIC_EXPORT int device(const Batch<double>&);
template QUARTIC_EXPORT void step(Batch<float>&, double, int, cudaStream_t);
template QUARTIC_EXPORT void step(Batch<double>&, double, int, cudaStream_t);
template QUARTIC_EXPORT void check_range(Batch<float>&, cudaStream_t);
template QUARTIC_EXPORT void check_range(Batch<double>&, cudaStream_t);
template QUARTIC_EXPORT void reset_bodies(Batch<float>&, const std::uint8_t*, const BodyStart<float>&, cudaStream_t);
template QUARTIC_EXPORT void reset_bodies(Batch<double>&, const std::uint8_t*, const BodyStart<double>&, cudaStream_t);
template QUARTIC_EXPORT void reset_bodies(Batch<float>&, const std::int32_t*, std::int64_t, const BodyStart<float>&,
                                          cudaStream_t);
template QUARTIC_EXPORT void reset_bodies(Batch<double>&, const std::int32_t*, std::int64_t, const BodyStart<double>&,
                                          cudaStream_t);
template QUARTIC_EXPORT void set_rayleigh_damping(Batch<float>&, const float*, const float*, cudaStream_t);
template QUARTIC_EXPORT void set_rayleigh_damping(Batch<double>&, const double*, const double*, cudaStream_t);
template QUARTIC_EXPORT void set_stiffness_scale(Batch<float>&, const float*, cudaStream_t);
template QUARTIC_EXPORT void set_stiffness_scale(Batch<double>&, const double*, cudaStream_t);
template QUARTIC_EXPORT void set_pressure(Batch<float>&, const float*, int, cudaStream_t);
template QUARTIC_EXPORT void set_pressure(Batch<double>&, const double*, int, cudaStream_t);
template QUARTIC_EXPORT void send(Batch<float>&, cudaStream_t);
template QUARTIC_EXPORT void send(Batch<double>&, cudaStream_t);
template QUARTIC_EXPORT void fetch(Batch<float>&, cudaStream_t);
template QUARTIC_EXPORT void fetch(Batch<double>&, cudaStream_t);

}  // namespace quartic::cuda
