// Evaluation of H by other means than our own kernel.
#pragma once

#include "cuda/batch_view.hpp"
#include "cuda/integrators.hpp"
#include "cuda/runtime.hpp"

namespace quartic::cuda {

template <class T>
class Product {
 public:
  Product() = default;
  virtual ~Product() = default;
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  /// `h` from `points`, and `second_h` from `second_points` where the batch has them.
  virtual void multiply(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const = 0;
};

}  // namespace quartic::cuda
