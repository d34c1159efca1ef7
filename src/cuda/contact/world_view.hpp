// What the kernels of a step with contacts are given.
#pragma once

#include <cstdint>

#include "core/batch/curve_value.hpp"
#include "core/batch/free_scheme.hpp"
#include "core/batch/step_settings.hpp"
#include "core/contact/contact_law.hpp"
#include "cuda/batch/steps/load_curves.hpp"
#include "cuda/contact/contact_view.hpp"
#include "cuda/contact/near_view.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/frame/frame_view.hpp"

namespace quartic::cuda {

/// Bits of BodyFlags.
inline constexpr std::uint32_t flag_contacts_lost = 8, flag_too_fast = 16;

/// Numbers of a step, as core/contact/body_stepper.hpp has them.
struct ContactSettings {
  StepSettings<double> step;
  SpinSettings<double> spin;
  bool takes_mean;  // of the contact forces at both ends, for what is rigid: Newmark's
  ContactLaw law;
  int iterations;
  double tolerance;
};

template <class T>
struct WorldView {
  BatchView<T> batch;
  CurveView curves;    // without arrays if no body has a curve
  const double* time;  // at the start of the step
  std::int64_t bodies;
  int rank;                         // the largest
  const std::int32_t* groups;       // of each body, shape (B)
  const TreeView* trees;            // by group
  const ModelView<double>* models;  // by group
  const FrameView<double>* frames;  // by group, or null
  ShapesView shapes;
  CandidatesView candidates;
  NearView near;
  NextStates<T> next;
  ReadoutView readout;
  ContactSettings settings;

  [[nodiscard]] __device__ bool flies(std::int64_t body) const {
    return frames != nullptr && frames[groups[body]].forms != nullptr;
  }
};

/// Three rows of an array of the batch.
template <class T>
[[nodiscard]] __device__ inline Vector3 rows_of(const T* rows, std::int64_t pitch, int row, std::int64_t body) {
  const T* at = rows + row * pitch + body;
  return {double{at[0]}, double{at[pitch]}, double{at[2 * pitch]}};
}

/// What a body's loads are multiplied by at both ends of the step.
struct LoadScales {
  double start = 1, end = 1;
};
template <class T>
[[nodiscard]] __device__ inline LoadScales load_scales(const WorldView<T>& world, std::int64_t body) {
  if (world.curves.curve_of_body == nullptr) return {};
  const int curve = world.curves.curve_of_body[body];
  if (curve < 0) return {};
  const std::int64_t begin = world.curves.starts[curve], count = world.curves.starts[curve + 1] - begin;
  const double start = *world.time, end = start + world.settings.step.dt, slack = curve_slack(start, end);
  const auto scale = [&](double at) {
    return curve_value(world.curves.times + begin, world.curves.scales + begin, count, at, slack);
  };
  return {scale(start), scale(end)};
}

}  // namespace quartic::cuda
