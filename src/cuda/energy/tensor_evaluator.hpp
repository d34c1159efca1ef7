// H on tensor cores, in the precision of the batch: see tensor_tile.cuh.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cuda/energy/evaluator.hpp"
#include "cuda/energy/tensor_view.hpp"
#include "quartic/force_model.hpp"

namespace quartic::cuda {

template <class T>
class TensorEvaluator final : public Evaluator<T> {
 public:
  /// @param models those with a strain form are others' work
  /// @throws InputError for a coefficient that T can't hold
  TensorEvaluator(std::span<const std::shared_ptr<const ForceModel>> models, cudaStream_t stream);

  void evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const override;
  [[nodiscard]] const TensorImage<T>* tensor_images() const override { return images_.data(); }
  void set_energy(std::size_t model, const QuarticEnergy& energy, cudaStream_t stream) override;

 private:
  std::vector<DeviceArray<Fragment<T>>> fragments_;  // of each model; none with a strain form
  std::vector<DeviceArray<MonomialFactors<T>>> factors_;
  DeviceArray<TensorImage<T>> images_;
};

}  // namespace quartic::cuda
