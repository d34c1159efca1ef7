// K from coefficients and R from strains, for models with a strain form.
#pragma once

#include "cuda/energy/evaluate.hpp"

namespace quartic::cuda {

/// Takes the workspace `strains`.
template <class T>
class StrainEvaluator final : public Evaluator<T> {
 public:
  void evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const override;
  [[nodiscard]] bool makes_forces() const override { return true; }

 private:
  StrictEvaluator<T> stiffness_;
};

}  // namespace quartic::cuda
