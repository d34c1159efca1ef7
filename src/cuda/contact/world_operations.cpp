#include "cuda/contact/world_operations.hpp"

#include "cuda/contact/cuda_world.hpp"

namespace quartic::cuda {
namespace {

template <class T>
std::unique_ptr<DeviceWorld<T>> make_world(BatchImpl<T>& batch, const BoundTrees& trees,
                                           const ContactOptions& options) {
  return std::make_unique<CudaWorld<T>>(static_cast<CudaBatch<T>&>(batch), trees, options);
}

}  // namespace

constinit const DeviceWorldOperations world_operations = {.make_float_world = make_world<float>,
                                                          .make_double_world = make_world<double>};

}  // namespace quartic::cuda
