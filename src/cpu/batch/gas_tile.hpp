// Gases that keep p V in the chambers of a tile's bodies: pressures that depend on q, and so a stiffness of rank 1
// each, kappa g g^T with g = dV/dq and kappa = -dp/dV >= 0, beside what H has of them (the pressure at the point).
//
// H_ip = -g stands behind H_i0. All numbers are divided by the body's stiffness scale, as pressures in H are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "cpu/energy/evaluator.hpp"

namespace quartic::cpu {

template <class System>
class GasTile {
 public:
  using T = typename System::Number;
  static constexpr int lanes = System::lanes;

  /// For up to so many coordinates and chambers.
  GasTile(std::int64_t rank, std::int64_t chambers);

  /// Takes the gases of `bodies` bodies from `first` on.
  /// @param pressure of the chambers, shape (chambers, lanes): what is given besides
  void load(const Evaluator<System>& evaluator, const BodyParameters<T>& parameters, std::int64_t first, int bodies,
            const T* pressure);
  /// Whether any of the bodies has one.
  [[nodiscard]] bool is_there() const { return is_there_; }

  /// Into `pressure`, those at q, or the mean ones from q to `end`. NaN where a volume isn't above 0.
  void set_pressures(const T* q, T* pressure);
  void set_mean_pressures(const T* q, const T* end, T* pressure);

  /// y += kappa g g^T x in two parts, since the product between them overwrites x.
  void project(const T* h, const T* x);
  void add_product(const T* h, T* y) const;

  /// K in h += what belongs to it.
  void add_stiffness(T* h) const;
  /// Behind `set_mean_pressures`, given H at both Gauss points: what `add_stiffness` adds to K's weighted sum in h.
  /// @param damping of each lane, that K at each point is multiplied with
  void form_mean(T* h, const T* second_h, std::span<const T> damping);

 private:
  [[nodiscard]] std::int64_t gradient_row(int chamber) const;
  [[nodiscard]] double volume(int chamber, int lane, const T* q);
  /// set(number of chamber and lane, chamber, lane) where there is a gas.
  template <class Set>
  void for_each_gas(const Set& set) const;

  const Evaluator<System>* evaluator_ = nullptr;
  bool is_there_ = false;
  double atmosphere_ = 0;
  // Shape (chambers, lanes) each: p V, the pressure given besides, -dp/dV, what multiplies g g^T in the system,
  // -d/d(end) of the mean pressure, and kappa g x.
  std::vector<double> amount_, given_, scale_;
  std::vector<T> stiffness_, weight_, end_stiffness_, product_;
  std::vector<double> point_;
};

}  // namespace quartic::cpu
