// Who makes H at the points of tiles: an evaluator for each kind of force model, and for each way to sum.
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
class Evaluator {
 public:
  Evaluator() = default;
  virtual ~Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// `h` from `points`, and `second_h` from `second_points` where the batch has them.
  virtual void evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const = 0;
  /// Whether R stands in the place of H_i0 then.
  [[nodiscard]] virtual bool makes_forces() const { return false; }
  /// What the fused kernel takes in its place, on the device; null where it can't.
  [[nodiscard]] virtual const TensorImage<T>* tensor_images() const { return nullptr; }
  /// Gives a model another energy of its rank, where the evaluator has coefficients of its own. Synchronises with the
  /// stream.
  virtual void set_energy(std::size_t /*model*/, const QuarticEnergy& /*energy*/, cudaStream_t /*stream*/) {}
};

/// By the evaluator of the tiles at work.
template <class T>
void evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) {
  batch.evaluator->evaluate(batch, shape, stream);
}

}  // namespace quartic::cuda
