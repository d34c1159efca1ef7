// D(q) of bodies that are damped by strain rates: beside any evaluator of H.
#pragma once

#include "cuda/energy/evaluator.hpp"

namespace quartic::cuda {

/// Evaluates by another, and D / tau besides into `StrainDampingView::d`: at the same point, or with two points at the
/// middle of both.
template <class T>
class StrainDampingEvaluator final : public Evaluator<T> {
 public:
  /// @param elastic outlives this
  explicit StrainDampingEvaluator(const Evaluator<T>& elastic) : elastic_(elastic) {}

  void evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const override;
  [[nodiscard]] bool makes_forces() const override { return elastic_.makes_forces(); }

 private:
  const Evaluator<T>& elastic_;
};

}  // namespace quartic::cuda
