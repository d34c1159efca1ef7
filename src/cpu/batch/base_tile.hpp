// The bases that a tile's bodies are mounted on, one body per lane: values are stored as [row][lane].
#pragma once

#include <span>

#include "core/base/aligned_array.hpp"
#include "cpu/batch/tile.hpp"
#include "cpu/frame/frame_kernels.hpp"

namespace quartic::cpu {

/// Workspace beside a `Tile` whose bodies are on bases of prescribed motion. `load` takes the motion of the step's end,
/// which steps don't change; in each iteration: predict or take_iterate, then add_inertia.
template <class System>
class BaseTile {
 public:
  using T = typename System::Number;
  static constexpr int lanes = System::lanes;

  /// For any of these models; no memory for none.
  explicit BaseTile(std::span<const FrameCoefficients<System>* const> models);

  /// Takes the motion of the bases out of the arrays.
  void load(const FrameCoefficients<System>& model, const BatchArrays<T>& arrays, const TileRange& range, LaneSet live);

  /// What inertia forces of an implicit step's first iteration are taken at, as of free bodies (frame_tile.hpp).
  /// @param at_start at the start of the step, as backward Euler's; else at its end by Taylor's series
  void predict(const Tile<System>& tile, T dt, bool at_start);
  /// The same of further iterations: at the iterate.
  void take_iterate(const Tile<System>& tile);
  /// residual += B^T w' - 2 A(w) q' - 1/2 w^T D w + s a.
  void add_inertia(T* residual) const;

 private:
  void evaluate(const T* q, const T* rate);

  const FrameCoefficients<System>* model_ = nullptr;
  const FrameKernels<System>* kernels_;
  AlignedArray<T> storage_;
  T* motion_;                               // a, w, w' in the base's axes, shape (9, lanes)
  T *point_, *forms_, *inertia_, *turned_;  // of the evaluation: (1, q), D and B, J, q'_p A_pi
  T *predicted_q_, *predicted_rate_;
};

}  // namespace quartic::cpu
