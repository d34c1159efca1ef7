#include "cpu/batch/tile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/batch/curve_value.hpp"
#include "core/batch/driven_scheme.hpp"
#include "core/batch/load_curve.hpp"
#include "core/batch/shift_rule.hpp"
#include "cpu/batch/tile_rows.hpp"

namespace quartic::cpu {
namespace {

template <int lanes, class T>
LaneSet lanes_above_zero(const T* values) {
  LaneSet set = 0;
  for (int l = 0; l < lanes; ++l)
    if (values[l] > 0) set |= LaneSet{1} << l;
  return set;
}

// The most of any.
template <class System>
std::int64_t chamber_count(std::span<const Evaluator<System>* const> evaluators) {
  std::int64_t chambers = 0;
  for (const Evaluator<System>* evaluator : evaluators)
    chambers = std::max<std::int64_t>(chambers, evaluator->chambers());
  return chambers;
}
template <class System>
std::int64_t array_rows(std::span<const Evaluator<System>* const> evaluators) {
  std::int64_t rows = 0;
  for (const Evaluator<System>* evaluator : evaluators) rows = std::max(rows, System::array_rows(evaluator->rank()));
  return rows;
}

}  // namespace

template <class System>
Tile<System>::Tile(std::span<const Evaluator<System>* const> evaluators)
    : system_(&System::kernels()), gas_(array_rows(evaluators), chamber_count(evaluators)) {
  const std::int64_t rank = array_rows(evaluators), chambers = chamber_count(evaluators);
  std::int64_t rows = 0, workspace = 0, factor = 0;
  for (const Evaluator<System>* evaluator : evaluators) {
    rows = std::max(rows, evaluator->h_rows());
    workspace = std::max(workspace, evaluator->workspace_rows());
    factor = std::max(factor, System::factor_rows(evaluator->rank()));
  }
  // Each array starts at a whole cache line.
  const auto whole = [](std::int64_t count) { return padded<T>(count * lanes); };
  storage_ = AlignedArray<T>(13 * whole(rank) + 2 * whole(rows) + whole(workspace) + whole(factor) + whole(chambers) +
                             7 * whole(1));
  T* next = storage_.data();
  const auto take = [&](std::int64_t count) { return std::exchange(next, next + whole(count)); };
  for (T** array : {&q, &velocity, &acceleration, &force_, &scaled_start_, &scaled_end_, &next_q, &next_velocity,
                    &next_acceleration, &increment, &residual, &argument, &product})
    *array = take(rank);
  for (T** array : {&h, &second_h}) *array = take(rows);
  workspace_ = take(workspace);
  factor_ = take(factor);
  pressure_ = take(chambers);
  for (T** array : {&rayleigh_mass, &rayleigh_stiffness, &stiffness_scale, &scale, &diagonal, &shift_, &failed_})
    *array = take(1);
  start_force = end_force = force_;
  point_.assign(static_cast<std::size_t>(rank) + 1, 1.0);
}

template <class System>
std::array<double, static_cast<std::size_t>(Tile<System>::lanes)> Tile<System>::energies(const T* at) {
  std::array<double, static_cast<std::size_t>(lanes)> result{};
  for (int l = 0; l < lanes; ++l) {
    if (!contains(live_, l)) continue;
    for (int i = 0; i < rank(); ++i) point_[static_cast<std::size_t>(i) + 1] = double{at[i * lanes + l]};
    result[static_cast<std::size_t>(l)] = double{stiffness_scale[l]} * evaluator_->energy(point_.data());
  }
  return result;
}

template <class System>
void Tile<System>::load(const Evaluator<System>& evaluator, const CoordinateTerms<System>& terms,
                        const BatchArrays<T>& arrays, const BodyParameters<T>& parameters, const TileRange& range,
                        std::span<BodyStatus> status, std::span<BodyFlags> flags) {
  evaluator_ = &evaluator;
  terms_ = &terms;
  update_ = nullptr;
  first_ = range.first;
  const auto first = static_cast<std::size_t>(range.first), count = static_cast<std::size_t>(range.bodies);
  status_ = status.subspan(first, count);
  flags_ = flags.subspan(first, count);
  live_ = 0;
  unsolvable_ = 0;
  has_curves_ = false;
  start_scales_.fill(1);
  end_scales_.fill(1);
  for (std::size_t l = 0; l < count; ++l) {
    if (status_[l] != BodyStatus::diverged) live_ |= LaneSet{1} << l;
    rayleigh_mass[l] = parameters.rayleigh_mass[first + l];
    rayleigh_stiffness[l] = parameters.rayleigh_stiffness[first + l];
    stiffness_scale[l] = parameters.stiffness_scale[first + l];
    const auto curve = parameters.curve_of_body.empty() ? -1 : parameters.curve_of_body[first + l];
    curves_[l] = curve < 0 ? nullptr : &parameters.curves[static_cast<std::size_t>(curve)];
    has_curves_ |= curves_[l] != nullptr;
  }
  for (std::size_t l = count; l < curves_.size(); ++l) {
    rayleigh_mass[l] = rayleigh_stiffness[l] = 0;
    stiffness_scale[l] = 1;
    curves_[l] = nullptr;
  }
  for (int c = 0; c < evaluator.chambers(); ++c) {
    const T* pressure = parameters.pressure.data() + static_cast<std::size_t>(c) * parameters.stiffness_scale.size();
    for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l)
      pressure_[c * lanes + static_cast<std::int64_t>(l)] = l < count ? pressure[first + l] / stiffness_scale[l] : 0;
  }
  gas_.load(evaluator, parameters, range.first, range.bodies, pressure_);
  gas_is_mean_ = false;
  has_start_energies_ = false;
  strain_damping_.load(terms.strain_damping, parameters, range.first, range.bodies);
  load_rows<lanes>(arrays[StateArray::q], arrays.pitch, first_, rank(), live_, q);
  load_rows<lanes>(arrays[StateArray::velocity], arrays.pitch, first_, rank(), live_, velocity);
  load_rows<lanes>(arrays[StateArray::acceleration], arrays.pitch, first_, rank(), live_, acceleration);
  load_rows<lanes>(arrays[StateArray::force], arrays.pitch, first_, rank(), live_, force_);
  // Vectors along an array read what is behind its rows: zeros, not what a body of larger rank has left.
  for (T* array : {q, velocity, acceleration, force_, scaled_start_, scaled_end_, next_q, next_velocity,
                   next_acceleration, increment, residual, argument, product})
    std::fill(array + size(), array + System::array_rows(rank()) * lanes, T{0});
}

template <class System>
void Tile<System>::scale_force(double time, double slack, LaneValues& scales, T* result) const {
  for (std::size_t l = 0; l < scales.size(); ++l)
    scales[l] = curves_[l] == nullptr ? T{1} : static_cast<T>(scale_at(*curves_[l], time, slack));
  for_each_value(rank(), [&](std::int64_t n, int l) { result[n] = scales[static_cast<std::size_t>(l)] * force_[n]; });
}

template <class System>
void Tile<System>::begin_step(double start, double end) {
  has_start_energies_ = false;
  if (!has_curves_) {
    start_force = end_force = force_;
    return;
  }
  const double slack = curve_slack(start, end);
  scale_force(start, slack, start_scales_, scaled_start_);
  scale_force(end, slack, end_scales_, scaled_end_);
  start_force = scaled_start_;
  end_force = scaled_end_;
}

template <class System>
void Tile<System>::store(const BatchArrays<T>& arrays) const {
  store_rows<lanes>(q, rank(), live_, arrays[StateArray::q], arrays.pitch, first_);
  store_rows<lanes>(velocity, rank(), live_, arrays[StateArray::velocity], arrays.pitch, first_);
  store_rows<lanes>(acceleration, rank(), live_, arrays[StateArray::acceleration], arrays.pitch, first_);
}

template <class System>
LaneSet Tile<System>::finish_step(const BatchArrays<T>& arrays, LaneSet defective) {
  LaneValues defects = {};
  for (const T* rows : {next_q, next_velocity, next_acceleration}) add_defects(rows, size(), defects);
  const LaneSet diverged = (unsolvable_ | defective | lanes_with(defects)) & live_;
  if (diverged != 0) {
    live_ &= ~diverged;
    store_rows<lanes>(q, rank(), diverged, arrays[StateArray::q], arrays.pitch, first_);
    store_rows<lanes>(velocity, rank(), diverged, arrays[StateArray::velocity], arrays.pitch, first_);
    store_rows<lanes>(acceleration, rank(), diverged, arrays[StateArray::acceleration], arrays.pitch, first_);
    for (int l = 0; l < lanes; ++l)
      if (contains(diverged, l)) {
        status_[static_cast<std::size_t>(l)] = BodyStatus::diverged;
        for (T* rows : {next_q, next_velocity, next_acceleration, force_})
          for (int i = 0; i < rank(); ++i) rows[i * lanes + l] = 0;
      }
  }
  std::swap(q, next_q);
  std::swap(velocity, next_velocity);
  std::swap(acceleration, next_acceleration);
  return diverged;
}

template <class System>
void Tile<System>::factorize(LaneSet bodies, const T* k) {
  std::fill_n(shift_, lanes, T{0});
  system_->factorize(rank(), scale, diagonal, shift_, k, factor_, failed_);
  LaneSet failed = lanes_above_zero<lanes>(failed_) & bodies;
  if (failed == 0) return;

  LaneValues tau = {};
  for (int i = 0; i < rank(); ++i) {
    const T* entry = k + System::diagonal_row(rank(), i) * lanes;
    for (int l = 0; l < lanes; ++l) tau[static_cast<std::size_t>(l)] += std::abs(scale[l] * entry[l] + diagonal[l]);
  }
  for (T& value : tau) value *= first_shift(T{1}) / static_cast<T>(rank());

  // The others' shift is zero, so that they get the same factor again, bit for bit.
  const LaneSet regularised = failed;
  for (int tries = 0; tries < regularisation_tries && failed != 0; ++tries) {
    for (int l = 0; l < lanes; ++l)
      if (contains(failed, l)) shift_[l] = take_shift(tau[static_cast<std::size_t>(l)]);
    system_->factorize(rank(), scale, diagonal, shift_, k, factor_, failed_);
    failed = lanes_above_zero<lanes>(failed_) & bodies;
  }
  for (int l = 0; l < lanes; ++l)
    if (contains(regularised, l)) status_[static_cast<std::size_t>(l)] = BodyStatus::regularised;
  unsolvable_ |= failed;
}

// In the same order in every lane.
template <class System>
void Tile<System>::add_damping(const T* x, T* y) const {
  const T* d = terms_->damping.data();
  for (int i = 0; i < rank(); ++i)
    for (int j = 0; j < rank(); ++j, ++d)
      for (int l = 0; l < lanes; ++l) y[i * lanes + l] += *d * x[j * lanes + l];
}

// The system multiplies K by `scale`.
template <class System>
void Tile<System>::add_damping_to(T* k) const {
  for (int i = 0; i < rank(); ++i)
    for (int j = i; j < rank(); ++j) {
      const T d = damping_weight_ * terms_->damping.data()[std::int64_t{i} * rank() + j];
      T* entry = k + entry_row<System>(rank(), i, j) * lanes;
      for (int l = 0; l < lanes; ++l) entry[l] += d / scale[l];
    }
}

template <class System>
void Tile<System>::drive_increment() {
  for (std::int64_t n = first_driven(); n < size(); ++n) increment[n] = end_force[n] - q[n];
}

template <class System>
void Tile<System>::move_driven(T dt) {
  for (std::int64_t n = first_driven(); n < size(); ++n) {
    const RowState<T> next = driven_state(dt, {q[n], velocity[n], acceleration[n]}, increment[n]);
    next_q[n] = next.q;
    next_velocity[n] = next.velocity;
    next_acceleration[n] = next.acceleration;
  }
}

template <class System>
void Tile<System>::clear_driven(T* rows) const {
  std::fill(rows + first_driven(), rows + size(), T{0});
}

// Their rows and columns are those of the diagonal alone.
template <class System>
void Tile<System>::leave_driven_out(T* k) const {
  for (int j = rank() - terms_->driven; j < rank(); ++j)
    for (int i = 0; i < rank(); ++i)
      std::fill_n(k + entry_row<System>(rank(), std::min(i, j), std::max(i, j)) * lanes, lanes, T{0});
}

template <class System>
void Tile<System>::solve(LaneSet bodies, T* k, T* x) {
  if (terms_->has_damping) add_damping_to(k);
  if (strain_damping_.is_there()) strain_damping_.add_to(damping_weight_, scale, k);
  if (gas_.is_there()) gas_.add_stiffness(k);
  if (update_ != nullptr) update_->add(rank(), k);
  if (terms_->driven > 0) leave_driven_out(k);
  factorize(bodies, k);
  system_->solve(rank(), factor_, x);
}

template <class System>
void Tile<System>::flag(LaneSet bodies, BodyFlags flag) {
  bodies &= ~unsolvable_;
  for (std::size_t l = 0; l < flags_.size(); ++l)
    if (contains(bodies, static_cast<int>(l))) flags_[l] |= flag;
}

template <class System>
void Tile<System>::correct(LaneSet bodies, const T* delta) {
  if (bodies == all_lanes<lanes>) {
    for (std::int64_t n = 0; n < size(); ++n) increment[n] -= delta[n];
    return;
  }
  for (int i = 0; i < rank(); ++i)
    for (int l = 0; l < lanes; ++l)
      if (contains(bodies, l)) increment[i * lanes + l] -= delta[i * lanes + l];
}

template <class System>
auto Tile<System>::squared_norms(const T* rows) const -> LaneValues {
  LaneValues sums = {};
  for (int i = 0; i < rank(); ++i)
    for (int l = 0; l < lanes; ++l) sums[static_cast<std::size_t>(l)] += rows[i * lanes + l] * rows[i * lanes + l];
  return sums;
}

template class Tile<LaneSystem<float>>;
template class Tile<LaneSystem<double>>;
template class Tile<BodySystem<float>>;
template class Tile<BodySystem<double>>;

}  // namespace quartic::cpu
