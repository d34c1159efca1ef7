// Steps of bodies one by one, for Evaluation::latency.
#pragma once

#include <cstdint>

#include "core/batch/step_settings.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/batch/steps/gas_evaluator.hpp"
#include "cuda/batch/steps/latency_plan.hpp"
#include "cuda/batch/steps/load_curves.hpp"
#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

enum class LatencyScheme : std::uint8_t { implicit, central_differences, energy_conserving };

/// What a launch does: all substeps of the bodies of one group.
template <class T>
struct LatencySteps {
  BatchView<T> batch;  // without tiles and workspace
  StepSettings<T> settings;
  LatencyScheme scheme;
  CurveView curves;    // none if `curve_of_body` is null
  const double* time;  // at which the first substep begins; stays as it is
  double dt;
  int substeps;
  int model;
  std::int64_t first_body, bodies;
  LatencyPlan plan;
  bool has_frame;  // bodies are free
  bool has_gases;  // in their chambers
  GasView<T> gases;
};

template <class T>
void latency_steps(const LatencySteps<T>& steps, cudaStream_t stream);

/// Lets the kernels use this much shared memory on the current device; before they are started.
template <class T>
void prepare_latency_steps(std::size_t shared_bytes);

/// Whether the current device can start clusters and this library has code for them.
[[nodiscard]] bool has_clusters();
/// Whether it can have the plan's cluster at work, whose blocks must be on neighbouring multiprocessors; after
/// prepare_latency_steps.
template <class T>
[[nodiscard]] bool can_start(const LatencyPlan& plan);

}  // namespace quartic::cuda
