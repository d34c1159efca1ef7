// H as the models' coefficients times monomials, summed in order.
#pragma once

#include "cuda/energy/evaluator.hpp"

namespace quartic::cuda {

template <class T>
class StrictEvaluator final : public Evaluator<T> {
 public:
  void evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const override;
};

}  // namespace quartic::cuda
