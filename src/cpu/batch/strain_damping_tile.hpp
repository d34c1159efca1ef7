// Damping by strain rates of a tile's bodies: their D(q), which is evaluated apart from K, and what has it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/aligned_array.hpp"
#include "core/batch/batch_impl.hpp"
#include "cpu/energy/strain_damping_kernels.hpp"

namespace quartic::cpu {

template <class System>
class StrainDampingTile {
 public:
  using T = typename System::Number;
  using Coefficients = StrainDampingCoefficients<System>;
  static constexpr int lanes = System::lanes;

  /// Room for bodies of up to this rank, before any is loaded.
  void reserve(std::int64_t rank);
  /// Takes `bodies` bodies from `first` on. @param coefficients of their group, or none
  void load(const std::optional<Coefficients>& coefficients, const BodyParameters<T>& parameters, std::int64_t first,
            int bodies);
  /// Whether any of the bodies is damped.
  [[nodiscard]] bool is_there() const { return coefficients_ != nullptr; }

  /// D at q, for the calls below.
  void evaluate(const T* q);
  /// y += D x in the lanes that are damped.
  void add_product(const T* x, T* y) const;
  /// K += weight D / scale. @param scale that the system multiplies K with, shape (lanes)
  void add_to(T weight, const T* scale, T* k) const;

 private:
  const Coefficients* coefficients_ = nullptr;
  std::array<T, static_cast<std::size_t>(lanes)> time_{};  // tau times the stiffness scale, 0 for none
  AlignedArray<T> workspace_, d_;                          // D / tau, upper triangle in pair order
};

}  // namespace quartic::cpu
