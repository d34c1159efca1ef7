#include "cuda/batch/batch_operations.hpp"

#include <utility>

#include "cuda/batch/batch.hpp"

namespace quartic::cuda {
namespace {

template <class T>
std::unique_ptr<BatchImpl<T>> make_batch(std::vector<BodyGroup> groups, const BatchOptions& options) {
  return std::make_unique<CudaBatch<T>>(std::move(groups), options);
}

}  // namespace

constinit const BatchOperations batch_operations = {.make_float_batch = make_batch<float>,
                                                    .make_double_batch = make_batch<double>};

}  // namespace quartic::cuda
