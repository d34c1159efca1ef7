// Single bodies out of a batch, in double, and back into it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/contact/body_frame.hpp"
#include "core/contact/body_stepper.hpp"
#include "quartic/batch.hpp"
#include "quartic/world.hpp"

namespace quartic {

template <class T>
[[nodiscard]] ContactPoint rows_of(const StateView<T>& view, std::int64_t row, std::int64_t body) {
  return {double{view(row, body)}, double{view(row + 1, body)}, double{view(row + 2, body)}};
}

/// What the loads of a body are multiplied by at the time `at` of the step of h [s] that begins now.
template <class T>
[[nodiscard]] double load_scale(const Batch<T>& batch, std::int64_t body, double at, double h);

/// A body that a stepper works on. Keeps its memory from step to step.
struct BodyOnItsOwn {
  BodyMotion start, end;
  std::vector<double> force, pressure;
  ContactStep step;
  ContactOutcome outcome;
};

/// Fills `own` with the state of a body and with what a step of h [s] is about.
template <class T>
void take_body(const Batch<T>& batch, int group, std::int64_t body, double h, const ContactOptions& options,
               std::span<const Collider> start, std::span<const Collider> end, BodyOnItsOwn& own);

/// Puts the state at the step's end into the batch.
template <class T>
void put_body(const BodyMotion& end, Batch<T>& batch, int group, std::int64_t body);

}  // namespace quartic
