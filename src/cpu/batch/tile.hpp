// A tile of bodies on its way through a time step, one body per lane: values are stored as [mode][lane].
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/batch/batch_impl.hpp"
#include "cpu/batch/coordinate_terms.hpp"
#include "cpu/batch/gas_tile.hpp"
#include "cpu/batch/strain_damping_tile.hpp"
#include "cpu/energy/evaluator.hpp"
#include "cpu/energy/system.hpp"
#include "quartic/batch.hpp"

namespace quartic::cpu {

/// A set of lanes, bit by bit.
using LaneSet = std::uint32_t;

template <int lanes>
inline constexpr LaneSet all_lanes = (LaneSet{1} << lanes) - 1;

[[nodiscard]] constexpr bool contains(LaneSet set, int lane) {
  return ((set >> lane) & 1U) != 0;
}

/// The state of a batch by the blocks of its layout, mode-major with a common pitch.
template <class T>
struct BatchArrays {
  std::vector<AlignedArray<T>> blocks;  // shape (rows, pitch) each
  std::int64_t pitch = 0;

  [[nodiscard]] const AlignedArray<T>& operator[](StateArray which) const { return blocks[index_of(which)]; }
};

/// What a capability adds to the stiffness of its bodies before each factorisation.
template <class System>
class StiffnessUpdate {
 public:
  virtual ~StiffnessUpdate() = default;
  /// @param k as the system is about to take it, shape (System::stiffness_rows, lanes)
  virtual void add(int rank, typename System::Number* k) const = 0;
};

/// Bodies of one group that are stepped together.
struct TileRange {
  std::size_t group = 0;
  std::int64_t first = 0;  // body of the batch
  int bodies = 0;          // at most as many as lanes
};

/// Workspace for one tile at a time, in the layout of `System`. Integrators read `q`,
/// `velocity`, `acceleration` and the forces and leave the new state in the `next_` arrays; `finish_step` makes it the
/// current one. Lanes that aren't live (beyond the last body, or frozen) hold zeros at first; what becomes of them is
/// of no interest to anyone.
template <class System>
class Tile {
 public:
  using T = typename System::Number;
  static constexpr int lanes = System::lanes;
  using LaneValues = std::array<T, static_cast<std::size_t>(lanes)>;

  /// For any of these force models.
  explicit Tile(std::span<const Evaluator<System>* const> evaluators);

  [[nodiscard]] int rank() const { return evaluator_->rank(); }
  /// Number of values in an array of r rows.
  [[nodiscard]] std::int64_t size() const { return std::int64_t{rank()} * lanes; }
  [[nodiscard]] LaneSet live() const { return live_; }

  /// Room for damping by strain rates, of bodies of up to this rank.
  void reserve_strain_damping(std::int64_t rank) { strain_damping_.reserve(rank); }

  /// Takes a range of bodies out of the arrays; `status` and `flags` are those of the whole batch.
  /// @param terms of the bodies' group, until the next `load`
  void load(const Evaluator<System>& evaluator, const CoordinateTerms<System>& terms, const BatchArrays<T>& arrays,
            const BodyParameters<T>& parameters, const TileRange& range, std::span<BodyStatus> status,
            std::span<BodyFlags> flags);
  /// Until the next `load`; null for none.
  void set_stiffness_update(const StiffnessUpdate<System>* update) { update_ = update; }
  /// Tells between which times the next step goes: sets the forces at both ends.
  void begin_step(double start, double end);
  /// What the load curve of a lane multiplies loads with, at both ends of the step.
  [[nodiscard]] T start_scale(int lane) const { return start_scales_[static_cast<std::size_t>(lane)]; }
  [[nodiscard]] T end_scale(int lane) const { return end_scales_[static_cast<std::size_t>(lane)]; }
  /// Puts the live bodies back.
  void store(const BatchArrays<T>& arrays) const;
  /// Accepts the new state. Bodies whose new state isn't finite, or whose system couldn't be solved, are put back into
  /// the arrays as they were before the step and leave the tile.
  /// @param defective lanes whose new state isn't finite elsewhere @return the bodies that have diverged in this step
  LaneSet finish_step(const BatchArrays<T>& arrays, LaneSet defective = 0);

  /// H of the model at the coordinates `at`: K, then H_i0.
  void evaluate(const T* at, T* result) {
    if (gas_.is_there() && !gas_is_mean_) gas_.set_pressures(at, pressure_);
    evaluator_->evaluate(at, pressure_, workspace_, result);
  }
  /// Whether two Gauss points give the mean force over a step.
  [[nodiscard]] bool is_quartic() const { return evaluator_->is_quartic(); }
  /// V of the live bodies at these coordinates [J], with their stiffness scale, in double.
  [[nodiscard]] std::array<double, static_cast<std::size_t>(lanes)> energies(const T* at);
  /// V at q, once per step.
  [[nodiscard]] const std::array<double, static_cast<std::size_t>(lanes)>& start_energies() {
    if (!has_start_energies_) start_energies_ = energies(q);
    has_start_energies_ = true;
    return start_energies_;
  }
  /// From now on gases have their mean pressure from q to this, until the next call or `load`.
  void set_mean_gas(const T* end) {
    gas_is_mean_ = true;
    if (gas_.is_there()) gas_.set_mean_pressures(q, end, pressure_);
  }
  /// y = K x + weight R at the coordinates `at` of the last evaluation, which gave `rows`; x is overwritten. K and R
  /// are the bodies' own, with their stiffness scale and their chambers' pressures.
  void apply(T weight, const T* at, const T* rows, T* x, T* y) {
    if (gas_.is_there()) gas_.project(rows, x);
    evaluator_->apply(weight, at, pressure_, workspace_, rows, x, y);
    if (gas_.is_there()) gas_.add_product(rows, y);
    for_each_value(rank(), [&](auto n, int l) { y[n] *= stiffness_scale[l]; });
  }
  /// Whether there is a damping D, constant or by strain rates.
  [[nodiscard]] bool has_damping() const { return terms_->has_damping || strain_damping_.is_there(); }
  /// From now on D is that at these coordinates.
  void evaluate_damping(const T* at) {
    if (strain_damping_.is_there()) strain_damping_.evaluate(at);
  }
  /// y += D x, if there is one.
  void damp(const T* x, T* y) const {
    if (terms_->has_damping) add_damping(x, y);
    if (strain_damping_.is_there()) strain_damping_.add_product(x, y);
  }
  /// What the next systems have of D.
  void set_damping_weight(T weight) { damping_weight_ = weight; }

  /// Lets increments of driven coordinates lead to where these are to be at the step's end.
  void drive_increment();
  /// The state of driven coordinates after their increment, into the `next_` arrays.
  void move_driven(T dt);
  /// Takes driven coordinates out of a residual: nothing is to be found for them.
  void clear_driven(T* rows) const;
  /// The first value of driven coordinates in an array of coordinates.
  [[nodiscard]] std::int64_t first_driven() const { return std::int64_t{rank() - terms_->driven} * lanes; }

  /// The size of K in H, in rows.
  [[nodiscard]] std::int64_t stiffness_rows() const { return System::stiffness_rows(rank()); }

  /// Calls body(n, lane) for the values n of `rows` rows; what it does for one value doesn't depend on another.
  template <class Body>
  static void for_each_value(std::int64_t rows, const Body& body);
  /// The sum of squares of each lane, row by row.
  [[nodiscard]] LaneValues squared_norms(const T* rows) const;

  /// Behind the weighted sum of K at both Gauss points in `h`: readies what gases add to it, see GasTile.
  void form_mean_gas(const LaneValues& damping) {
    if (gas_.is_there()) gas_.form_mean(h, second_h, damping);
  }
  /// x <- (scale K + diagonal I)^-1 x in `bodies`, with a shifted diagonal for those whose matrix isn't positive
  /// definite. The integrator has filled `scale` and `diagonal`. K is updated in place first, where there is an update
  /// or a damping D; x of driven coordinates must be 0 and stays so.
  void solve(LaneSet bodies, T* k, T* x);
  /// Sets a flag of `bodies`, but for those whose system couldn't be solved.
  void flag(LaneSet bodies, BodyFlags flag);
  /// Increment <- increment - delta in `bodies`.
  void correct(LaneSet bodies, const T* delta);

  T *q, *velocity, *acceleration;                 // shape (r, lanes)
  const T *start_force, *end_force;               // at both ends of the step, shape (r, lanes)
  T *next_q, *next_velocity, *next_acceleration;  // shape (r, lanes)
  T *increment, *residual, *argument, *product;   // shape (r, lanes)
  T *h, *second_h;                                // shape (rows of H, lanes)
  T *rayleigh_mass, *rayleigh_stiffness;          // of each body, shape (lanes)
  T* stiffness_scale;                             // likewise
  T *scale, *diagonal;                            // of the system matrix, shape (lanes)

 private:
  void factorize(LaneSet bodies, const T* k);
  void add_damping(const T* x, T* y) const;
  void add_damping_to(T* k) const;
  void leave_driven_out(T* k) const;
  void scale_force(double time, double slack, LaneValues& scales, T* result) const;

  const Evaluator<System>* evaluator_ = nullptr;
  const SystemKernels<T>* system_;
  const StiffnessUpdate<System>* update_ = nullptr;
  const CoordinateTerms<System>* terms_ = nullptr;
  T damping_weight_ = 0;
  AlignedArray<T> storage_;
  T *force_, *scaled_start_, *scaled_end_;  // shape (r, lanes)
  T *workspace_, *factor_;
  // Of each chamber, divided by the stiffness scale that K and R of both are multiplied with, shape (chambers, lanes).
  T* pressure_;
  GasTile<System> gas_;
  StrainDampingTile<System> strain_damping_;
  bool gas_is_mean_ = false;
  std::vector<double> point_;  // (1, q) of a body
  std::array<double, static_cast<std::size_t>(lanes)> start_energies_{};
  bool has_start_energies_ = false;
  T *shift_, *failed_;  // shape (lanes)
  std::array<const LoadCurve*, static_cast<std::size_t>(lanes)> curves_{};
  bool has_curves_ = false;
  LaneValues start_scales_{}, end_scales_{};
  std::int64_t first_ = 0;
  std::span<BodyStatus> status_;
  std::span<BodyFlags> flags_;
  LaneSet live_ = 0;
  LaneSet unsolvable_ = 0;
};

template <class System>
template <class Body>
void Tile<System>::for_each_value(std::int64_t rows, const Body& body) {
  // One row of all values, or rows of one per lane.
  const std::int64_t outer = lanes == 1 ? 1 : rows, inner = lanes == 1 ? rows : lanes;
  for (std::int64_t row = 0; row < outer; ++row)
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::int64_t n = 0; n < inner; ++n) body(row * inner + n, lanes == 1 ? 0 : static_cast<int>(n));
}

}  // namespace quartic::cpu
