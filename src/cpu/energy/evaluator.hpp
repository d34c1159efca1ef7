// What a time step asks of a group's force model, whatever it is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "quartic/force_model.hpp"

namespace quartic::cpu {

/// Forces, stiffness and energy of bodies side by side, in the layout of `System` (system.hpp): values are stored as
/// [row][lane].
template <class System>
class Evaluator {
 public:
  using T = typename System::Number;

  Evaluator(int rank, int chambers) : rank_(rank), chambers_(chambers) {}
  virtual ~Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int chambers() const { return chambers_; }
  /// Whether V is a polynomial of degree four, so that two Gauss points give R's mean over a segment.
  [[nodiscard]] virtual bool is_quartic() const = 0;
  [[nodiscard]] virtual std::int64_t h_rows() const = 0;  ///< rows of H: K comes first, as the system takes it
  [[nodiscard]] virtual std::int64_t workspace_rows() const = 0;
  /// H at q (System::array_rows, zeros behind the rank).
  /// @param pressures of the chambers, a row each
  virtual void evaluate(const T* q, const T* pressures, T* workspace, T* h) const = 0;
  /// y = K x + weight R(q), with what `evaluate` left at q in `workspace` and `h`; x is overwritten.
  virtual void apply(T weight, const T* q, const T* pressures, T* workspace, const T* h, T* x, T* y) const = 0;
  /// V of one body, in double. @param point (1, q), shape (rank + 1)
  [[nodiscard]] virtual double energy(const double* point) const = 0;
  /// That of a chamber of one body, in double. @param q shape (rank)
  [[nodiscard]] virtual double volume(int chamber, std::span<const double> q) const = 0;

 private:
  int rank_, chambers_;
};

/// The heavy operations on a form of a model's coefficients, for one instruction set. The form says how many rows H and
/// the workspace take.
template <class T, class Coefficients>
struct EvaluatorKernels {
  void (*evaluate)(const Coefficients& coefficients, const T* q, const T* pressures, T* workspace, T* h);
  void (*apply)(const Coefficients& coefficients, T weight, const T* q, const T* pressures, T* workspace, const T* h,
                T* x, T* y);
};

/// Of any force model for tiles; for single bodies of a quartic energy alone. @throws InputError if a coefficient is
/// too large for T
template <class System>
[[nodiscard]] std::unique_ptr<Evaluator<System>> make_evaluator(std::shared_ptr<const ForceModel> model);

}  // namespace quartic::cpu
