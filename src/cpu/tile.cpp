#include "cpu/tile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/load_curve.hpp"
#include "core/time_stepping.hpp"

namespace quartic::cpu {
namespace {

template <class T>
void load_rows(const AlignedArray<T>& from, std::int64_t pitch, std::int64_t first, int rank, LaneSet bodies, T* to) {
  for (int i = 0; i < rank; ++i) {
    const T* row = from.data() + i * pitch + first;
    if (bodies == all_lanes<T>) {
      std::copy_n(row, lanes<T>, to + i * lanes<T>);
    } else {
      for (int l = 0; l < lanes<T>; ++l) to[i * lanes<T> + l] = contains(bodies, l) ? row[l] : T{0};
    }
  }
}

template <class T>
void store_rows(const T* from, int rank, LaneSet bodies, const AlignedArray<T>& to, std::int64_t pitch,
                std::int64_t first) {
  for (int i = 0; i < rank; ++i) {
    T* row = to.data() + i * pitch + first;
    if (bodies == all_lanes<T>) {
      std::copy_n(from + i * lanes<T>, lanes<T>, row);
    } else {
      for (int l = 0; l < lanes<T>; ++l)
        if (contains(bodies, l)) row[l] = from[i * lanes<T> + l];
    }
  }
}

// Adds x - x, which is 0 for a finite x and NaN otherwise.
template <class T>
void add_defects(const T* rows, std::int64_t size, LaneValues<T>& defects) {
  for (std::int64_t n = 0; n < size; n += lanes<T>)
    for (int l = 0; l < lanes<T>; ++l) defects[static_cast<std::size_t>(l)] += rows[n + l] - rows[n + l];
}

template <class T>
LaneSet lanes_above_zero(const T* values) {
  LaneSet set = 0;
  for (int l = 0; l < lanes<T>; ++l)
    if (values[l] > 0) set |= LaneSet{1} << l;
  return set;
}

}  // namespace

template <class T>
Tile<T>::Tile(std::span<const PackedCoefficients<T>> models) : kernels_(&tile_kernels<T>()) {
  std::int64_t rank = 0, rows = 0, monomials = 0;
  for (const PackedCoefficients<T>& model : models) {
    rank = std::max<std::int64_t>(rank, model.rank);
    rows = std::max(rows, model.rows);
    monomials = std::max(monomials, model.monomials);
  }
  storage_ = AlignedArray<T>((13 * rank + 2 * rows + monomials + rank * (rank + 1) / 2 + 6) * lanes<T>);
  T* next = storage_.data();
  const auto take = [&next](std::int64_t count) { return std::exchange(next, next + count * lanes<T>); };
  for (T** array : {&q, &velocity, &acceleration, &force_, &scaled_start_, &scaled_end_, &next_q, &next_velocity,
                    &next_acceleration, &increment, &residual, &argument, &product})
    *array = take(rank);
  for (T** array : {&h, &second_h}) *array = take(rows);
  monomials_ = take(monomials);
  factor_ = take(rank * (rank + 1) / 2);
  for (T** array : {&rayleigh_mass, &rayleigh_stiffness, &scale, &diagonal, &shift_, &failed_}) *array = take(1);
  start_force = end_force = force_;
}

template <class T>
void Tile<T>::load(const PackedCoefficients<T>& model, const BatchArrays<T>& arrays,
                   const BodyParameters<T>& parameters, const TileRange& range, std::span<BodyStatus> status) {
  coefficients_ = &model;
  first_ = range.first;
  const auto first = static_cast<std::size_t>(range.first), count = static_cast<std::size_t>(range.bodies);
  status_ = status.subspan(first, count);
  live_ = 0;
  unsolvable_ = 0;
  has_curves_ = false;
  for (std::size_t l = 0; l < count; ++l) {
    if (status_[l] != BodyStatus::diverged) live_ |= LaneSet{1} << l;
    rayleigh_mass[l] = parameters.rayleigh_mass[first + l];
    rayleigh_stiffness[l] = parameters.rayleigh_stiffness[first + l];
    const auto curve = parameters.curve_of_body.empty() ? -1 : parameters.curve_of_body[first + l];
    curves_[l] = curve < 0 ? nullptr : &parameters.curves[static_cast<std::size_t>(curve)];
    has_curves_ |= curves_[l] != nullptr;
  }
  for (std::size_t l = count; l < curves_.size(); ++l) {
    rayleigh_mass[l] = rayleigh_stiffness[l] = 0;
    curves_[l] = nullptr;
  }
  load_rows(arrays.q, arrays.pitch, first_, rank(), live_, q);
  load_rows(arrays.velocity, arrays.pitch, first_, rank(), live_, velocity);
  load_rows(arrays.acceleration, arrays.pitch, first_, rank(), live_, acceleration);
  load_rows(arrays.force, arrays.pitch, first_, rank(), live_, force_);
}

template <class T>
void Tile<T>::scale_force(double time, T* result) const {
  LaneValues<T> scales;
  for (std::size_t l = 0; l < scales.size(); ++l)
    scales[l] = curves_[l] == nullptr ? T{1} : static_cast<T>(scale_at(*curves_[l], time));
  for_each_value<T>(rank(),
                    [&](std::int64_t n, int l) { result[n] = scales[static_cast<std::size_t>(l)] * force_[n]; });
}

template <class T>
void Tile<T>::begin_step(double start, double end) {
  if (!has_curves_) {
    start_force = end_force = force_;
    return;
  }
  scale_force(start, scaled_start_);
  scale_force(end, scaled_end_);
  start_force = scaled_start_;
  end_force = scaled_end_;
}

template <class T>
void Tile<T>::store(const BatchArrays<T>& arrays) const {
  store_rows(q, rank(), live_, arrays.q, arrays.pitch, first_);
  store_rows(velocity, rank(), live_, arrays.velocity, arrays.pitch, first_);
  store_rows(acceleration, rank(), live_, arrays.acceleration, arrays.pitch, first_);
}

template <class T>
void Tile<T>::finish_step(const BatchArrays<T>& arrays) {
  LaneValues<T> defects = {};
  for (const T* rows : {next_q, next_velocity, next_acceleration}) add_defects(rows, size(), defects);
  LaneSet diverged = unsolvable_;
  for (int l = 0; l < lanes<T>; ++l)
    if (defects[static_cast<std::size_t>(l)] != 0) diverged |= LaneSet{1} << l;
  diverged &= live_;

  if (diverged != 0) {
    live_ &= ~diverged;
    store_rows(q, rank(), diverged, arrays.q, arrays.pitch, first_);
    store_rows(velocity, rank(), diverged, arrays.velocity, arrays.pitch, first_);
    store_rows(acceleration, rank(), diverged, arrays.acceleration, arrays.pitch, first_);
    for (int l = 0; l < lanes<T>; ++l)
      if (contains(diverged, l)) {
        status_[static_cast<std::size_t>(l)] = BodyStatus::diverged;
        for (T* rows : {next_q, next_velocity, next_acceleration, force_})
          for (int i = 0; i < rank(); ++i) rows[i * lanes<T> + l] = 0;
      }
  }
  std::swap(q, next_q);
  std::swap(velocity, next_velocity);
  std::swap(acceleration, next_acceleration);
}

template <class T>
void Tile<T>::factorize(LaneSet bodies, const T* k) {
  std::fill_n(shift_, lanes<T>, T{0});
  kernels_->factorize(rank(), scale, diagonal, shift_, k, factor_, failed_);
  LaneSet failed = lanes_above_zero(failed_) & bodies;
  if (failed == 0) return;

  LaneValues<T> tau = {};
  const T* pair = k;  // (i, i)
  for (int i = 0; i < rank(); ++i) {
    for (int l = 0; l < lanes<T>; ++l) tau[static_cast<std::size_t>(l)] += std::abs(scale[l] * pair[l] + diagonal[l]);
    pair += (rank() - i) * lanes<T>;
  }
  for (T& value : tau) value *= static_cast<T>(first_regularisation) / static_cast<T>(rank());

  // The others' shift is zero, so that they get the same factor again, bit for bit.
  const LaneSet regularised = failed;
  for (int tries = 0; tries < regularisation_tries && failed != 0; ++tries) {
    for (int l = 0; l < lanes<T>; ++l)
      if (contains(failed, l)) {
        shift_[l] = tau[static_cast<std::size_t>(l)];
        tau[static_cast<std::size_t>(l)] *= 10;
      }
    kernels_->factorize(rank(), scale, diagonal, shift_, k, factor_, failed_);
    failed = lanes_above_zero(failed_) & bodies;
  }
  for (int l = 0; l < lanes<T>; ++l)
    if (contains(regularised, l)) status_[static_cast<std::size_t>(l)] = BodyStatus::regularised;
  unsolvable_ |= failed;
}

template <class T>
void Tile<T>::solve(LaneSet bodies, const T* k, T* x) {
  factorize(bodies, k);
  kernels_->solve(rank(), factor_, x);
}

template <class T>
void Tile<T>::correct(LaneSet bodies, const T* delta) {
  if (bodies == all_lanes<T>) {
    for (std::int64_t n = 0; n < size(); ++n) increment[n] -= delta[n];
    return;
  }
  for (int i = 0; i < rank(); ++i)
    for (int l = 0; l < lanes<T>; ++l)
      if (contains(bodies, l)) increment[i * lanes<T> + l] -= delta[i * lanes<T> + l];
}

template class Tile<float>;
template class Tile<double>;

}  // namespace quartic::cpu
