// H of bodies with gases in their chambers, which keep p V: beside any evaluator.
#pragma once

#include <cstddef>

#include "cuda/energy/evaluator.hpp"

namespace quartic::cuda {

/// Of a group's chambers one behind the other (gas_image.hpp); null without chambers.
template <class T>
struct GasImages {
  const double* volumes;
  const T* gradients;
};

template <class T>
struct GasView {
  const GasImages<T>* images = nullptr;  // of each group
  const double* amount = nullptr;        // p V [J], 0 for none, shape (chambers, bodies)
  double atmosphere = 0;                 // [Pa]
  const T* given = nullptr;              // pressures besides, shape (chambers, bodies)
  T* pressure = nullptr;                 // the sum, for the integrators, likewise
};

/// Evaluates by another, and lets the pressures of gases follow from the volumes at the same points: they go into
/// `GasView::pressure`, which integrators are to take in place of those that are given. What the pressures' change adds
/// to K, kappa g g^T with g = dV/dq and kappa = -dp/dV, goes into H, and -kappa g g^T q into H_i0, so that R of both
/// stays as it is. With two points, pressures are the mean ones over the step, and kappa is that of the chord.
template <class T>
class GasEvaluator final : public Evaluator<T> {
 public:
  /// @param elastic outlives this
  GasEvaluator(const Evaluator<T>& elastic, const GasView<T>& gases) : elastic_(elastic), gases_(gases) {}

  void evaluate(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) const override;
  [[nodiscard]] bool makes_forces() const override { return elastic_.makes_forces(); }

 private:
  const Evaluator<T>& elastic_;
  GasView<T> gases_;
};

/// Lets the kernel use this much shared memory on the current device; before it is started.
template <class T>
void prepare_gases(std::size_t shared_bytes);

}  // namespace quartic::cuda
