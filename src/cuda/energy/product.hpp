// Evaluation of H by other means than the kernel of evaluate.cu.
#pragma once

#include <cstddef>

#include "cuda/base/runtime.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/step_shape.hpp"

namespace quartic {
struct QuarticEnergy;
}

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
  /// What the fused kernel takes in its place, on the device; null where it can't.
  [[nodiscard]] virtual const TensorImage<T>* tensor_images() const { return nullptr; }
  /// Gives a model another energy of its rank. Synchronises with the stream.
  virtual void set_energy(std::size_t model, const QuarticEnergy& energy, cudaStream_t stream) = 0;
};

}  // namespace quartic::cuda
