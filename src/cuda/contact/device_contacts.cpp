// The functions of quartic/cuda/world.hpp.
#include "core/batch/batch_checks.hpp"
#include "cuda/contact/cuda_world.hpp"
#include "quartic/cuda/world.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

template <class T>
CudaWorld<T>& on_device(World<T>& world) {
  DeviceWorld<T>* device = world.device_world();
  if (device == nullptr)
    throw InputError("this world is on the backend 'cpu'; make its batch with BatchOptions::backend = Backend::cuda");
  return static_cast<CudaWorld<T>&>(*device);
}

}  // namespace

template <class T>
DeviceContacts device_contacts(World<T>& world) {
  return on_device(world).device_contacts();
}

template <class T>
void reserve_contacts(World<T>& world, std::int64_t count) {
  if (count <= 0) throw InputError("room for contacts must be above 0, not " + std::to_string(count));
  on_device(world).reserve(count);
}

template <class T>
void send_colliders(World<T>& world) {
  on_device(world).send_colliders(world.colliders());
}

template <class T>
void step(World<T>& world, double dt, int substeps, cudaStream_t stream) {
  CudaWorld<T>& device = on_device(world);
  check_step<T>(dt, substeps);
  device.step(dt, substeps, world.colliders(), stream);
}

template QUARTIC_EXPORT DeviceContacts device_contacts(World<float>&);
template QUARTIC_EXPORT DeviceContacts device_contacts(World<double>&);
template QUARTIC_EXPORT void reserve_contacts(World<float>&, std::int64_t);
template QUARTIC_EXPORT void reserve_contacts(World<double>&, std::int64_t);
template QUARTIC_EXPORT void send_colliders(World<float>&);
template QUARTIC_EXPORT void send_colliders(World<double>&);
template QUARTIC_EXPORT void step(World<float>&, double, int, cudaStream_t);
template QUARTIC_EXPORT void step(World<double>&, double, int, cudaStream_t);

}  // namespace quartic::cuda
