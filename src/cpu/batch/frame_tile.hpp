// The rigid motion of a tile's bodies, one body per lane: values are stored as [row][lane].
#pragma once

#include <span>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/batch/free_scheme.hpp"
#include "cpu/batch/frame_rows.hpp"
#include "cpu/batch/spin_kernels.hpp"
#include "cpu/batch/tile.hpp"
#include "cpu/frame/frame_kernels.hpp"

namespace quartic::cpu {

/// Workspace beside a `Tile` whose bodies are free. A step goes
///   begin_step, then in each iteration: predict or take_iterate, add_inertia, eliminate, correct, finish; then
///   advance,
/// and `finish_step` makes the new motion the current one. It is also what free bodies add to the system: the angular
/// velocity is eliminated first, three unknowns, which is a rank-3 update of the stiffness.
template <class System>
class FrameTile final : public StiffnessUpdate<System> {
 public:
  using T = typename System::Number;
  static constexpr int lanes = System::lanes;
  using LaneValues = typename Tile<System>::LaneValues;

  /// For any of these models; no memory for none.
  explicit FrameTile(std::span<const FrameCoefficients<System>* const> models);

  /// Takes the motion of the bodies that `tile` has loaded out of the arrays.
  void load(const FrameCoefficients<System>& model, const BatchArrays<T>& arrays, const TileRange& range, LaneSet live);
  void store(const BatchArrays<T>& arrays, LaneSet live) const;

  /// Forms and momentum at the start. @param is_current true if they are still those that `finish` left
  /// @param end_load the load is that of the step's end, not the mean of both ends
  void begin_step(const Tile<System>& tile, const SpinSettings<T>& settings, bool end_load, bool is_current);

  /// What the quadratic terms of an implicit step's first iteration are taken at: with the increment still zero,
  /// Newmark's velocity there is the old one turned round, and Coriolis' force would have the wrong sign.
  void predict(const Tile<System>& tile);
  /// The same of further iterations: at the iterate, where `finish` has left the forms.
  void take_iterate(const Tile<System>& tile);
  /// residual += B^T w' - 2 A(w) q' - 1/2 w^T D w. Also finds what is left of the momentum's equation.
  void add_inertia(const Tile<System>& tile, T* residual) const;
  /// The squares of what is left of the momentum's equation, as a torque [N m].
  [[nodiscard]] LaneValues squared_torques() const;
  /// Takes w out of the system: the update of K, of which the system has `tile.scale` times, and the right-hand side.
  void eliminate(const Tile<System>& tile, T* residual) const;
  /// The angular velocity for increment <- increment - delta, as the system has it.
  void correct(LaneSet bodies, const T* delta) const;
  /// Forms at the tile's `next_q`, and in `bodies` the angular velocity that solves the momentum's equation for
  /// `next_q` and `next_velocity` to round-off.
  void finish(const Tile<System>& tile, LaneSet bodies);

  /// The energy-conserving scheme: keeps what it needs of the step's start.
  void keep_start(const Tile<System>& tile);
  /// residual += what the mean inertia force has besides q'' for the increment, `finish` having been called. @param
  /// sizes gets the size of its terms, shape (r, lanes)
  void add_mean_inertia(T* residual, T* sizes) const;

  /// Pose, velocities and their rates at the step's end.
  void advance() const;
  /// Lanes whose new motion isn't finite.
  [[nodiscard]] LaneSet defective() const;
  /// Accepts the new motion, but for diverged bodies, which are put back into the arrays as they were before.
  void finish_step(const BatchArrays<T>& arrays, LaneSet diverged);

  void add(int rank, T* k) const override { kernels_->subtract(rank, rows_.coupling, k); }

 private:
  [[nodiscard]] int rank() const { return model_->rank; }
  [[nodiscard]] T* spin() const { return rows_.twist + 3 * lanes; }
  [[nodiscard]] T* next_spin() const { return rows_.next_twist + 3 * lanes; }
  void evaluate(const T* q);
  void turn(const T* rate);
  void set_identity(T* pose, T* twist, T* twist_rate, LaneSet bodies) const;

  const FrameCoefficients<System>* model_ = nullptr;
  const FrameKernels<System>* kernels_;
  const SpinKernels<System>* spin_;
  AlignedArray<T> storage_;
  SpinSettings<T> settings_{};
  std::int64_t first_ = 0;
  FrameRows<T> rows_{};
};

}  // namespace quartic::cpu
