// The implicit step of one body under impulses at places on it, as whoever solves for these asks for it.
//
// Velocities are rows (q', w, v) of `size` numbers: of the coordinates, and of free bodies the angular one in body axes
// and that of the frame's origin. Impulses are the forces' at the step's end times the step. They act at the places of
// the step's start, and count by the rows of these: so angular momentum changes by their moments exactly.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/contact/body_stepper.hpp"

namespace quartic {

class PushedBody {
 public:
  virtual ~PushedBody() = default;
  PushedBody() = default;
  PushedBody(const PushedBody&) = delete;
  PushedBody& operator=(const PushedBody&) = delete;

  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// The body goes on as it did. Both arguments must stay where they are until the step's end.
  virtual void start_step(const ContactStep& step, const BodyMotion& start) = 0;
  /// The velocity in the world of a place by the body's: a mean of contact points, as far as the body deforms, and the
  /// place itself as far as it is rigid. Called for several places at once.
  /// @param at the place in the world @param rows shape (3, size)
  virtual void place_rows(std::span<const std::int32_t> points, std::span<const double> weights, const ContactPoint& at,
                          double* rows) const = 0;
  /// The body's equations at its present velocity. @param impulse by rows: J^T times the impulses, shape (size)
  /// @return whether they are solved to the step's tolerance
  virtual bool check(const double* impulse) = 0;
  /// Whether all numbers were finite in the last check.
  [[nodiscard]] virtual bool is_finite() const = 0;
  /// Takes the equations' derivatives where they were checked, and solves for the velocity that they lead to under the
  /// same impulses. @param velocity shape (size)
  virtual void linearise(double* velocity) = 0;
  /// By how much the velocity changes per impulse of J^T row, by these derivatives. @param rows, changes shape (3,
  /// size)
  virtual void respond(const double* rows, double* changes) = 0;
  /// What was left of the equations in the last check, relative to their terms.
  [[nodiscard]] virtual double left() const = 0;
  virtual void set_velocity(const double* velocity) = 0;
  /// With the velocity that was checked, and what is rigid as momentum has it.
  virtual void end_step(BodyMotion& end, ContactOutcome& outcome) = 0;
};

}  // namespace quartic
