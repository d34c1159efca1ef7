// A tile of bodies on its way through exponential steps, one body per lane: values are stored as [row][lane].
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/exponential/cubic_form.hpp"
#include "core/exponential/exponential_operations.hpp"
#include "core/modal/modal_impl.hpp"

namespace quartic {

/// What steps of one length take: oscillators first, then the coordinates that follow at rest.
template <class T>
struct ExponentialStep {
  double h = 0;
  int oscillators = 0;
  CubicForm<T> kicks, followers;                 // rows of N
  std::vector<PackedPropagator<T>> propagators;  // of the oscillators
  std::vector<T> half_kicks;                     // of the oscillators, per unit force [s]
  std::vector<T> compliances;                    // 1 / lambda of the others
};

template <class T>
class ExponentialTile {
 public:
  static constexpr int lanes = exponential_lanes<T>;
  using Marks = std::array<bool, static_cast<std::size_t>(lanes)>;

  explicit ExponentialTile(int rank);

  /// Ready for steps: `z` and `force` are there, `velocity` of the oscillators.
  void begin(const ExponentialStep<T>& step);
  /// One step. Lanes whose next state isn't finite stay in the last one, and are marked as `stopped`.
  void advance(const ExponentialStep<T>& step, int sweeps);

  AlignedArray<T> z, velocity, force;  // shape (r, lanes)
  Marks stopped{}, not_converged{};

 private:
  void kick(const ExponentialStep<T>& step);
  void swing(const ExponentialStep<T>& step);
  void follow(const ExponentialStep<T>& step, int sweeps);
  void evaluate_kick(const ExponentialStep<T>& step);
  void keep_stopped(const ExponentialStep<T>& step);

  const ExponentialOperations<T>& operations_ = exponential_operations<T>();
  int rank_;
  AlignedArray<T> monomials_, n_, kick_;
  AlignedArray<T> last_z_, last_velocity_;
};

}  // namespace quartic
