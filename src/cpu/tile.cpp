#include "cpu/tile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
Tile<T>::Tile(const PackedCoefficients<T>& coefficients) : coefficients_(&coefficients), kernels_(&tile_kernels<T>()) {
  const std::int64_t rank = coefficients.rank;
  const std::int64_t rows = 11 * rank + 2 * coefficients.rows + coefficients.monomials + rank * (rank + 1) / 2 + 2;
  storage_ = AlignedArray<T>(rows * lanes<T>);
  T* next = storage_.data();
  const auto take = [&next](std::int64_t count) { return std::exchange(next, next + count * lanes<T>); };
  for (T** array : {&q, &velocity, &acceleration, &force, &next_q, &next_velocity, &next_acceleration, &increment,
                    &residual, &argument, &product})
    *array = take(rank);
  h = take(coefficients.rows);
  second_h = take(coefficients.rows);
  monomials_ = take(coefficients.monomials);
  factor_ = take(rank * (rank + 1) / 2);
  shift_ = take(1);
  failed_ = take(1);
}

template <class T>
void Tile<T>::load(const BatchArrays<T>& arrays, std::int64_t first, std::span<BodyStatus> status) {
  first_ = first;
  status_ = status;
  live_ = 0;
  for (std::size_t l = 0; l < status.size(); ++l)
    if (status[l] != BodyStatus::diverged) live_ |= LaneSet{1} << l;
  unsolvable_ = 0;
  load_rows(arrays.q, arrays.pitch, first, rank(), live_, q);
  load_rows(arrays.velocity, arrays.pitch, first, rank(), live_, velocity);
  load_rows(arrays.acceleration, arrays.pitch, first, rank(), live_, acceleration);
  load_rows(arrays.force, arrays.pitch, first, rank(), live_, force);
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
        for (T* rows : {next_q, next_velocity, next_acceleration, force})
          for (int i = 0; i < rank(); ++i) rows[i * lanes<T> + l] = 0;
      }
  }
  std::swap(q, next_q);
  std::swap(velocity, next_velocity);
  std::swap(acceleration, next_acceleration);
}

template <class T>
void Tile<T>::factorize(LaneSet bodies, T scale, T diagonal, const T* k) {
  std::fill_n(shift_, lanes<T>, T{0});
  kernels_->factorize(rank(), scale, diagonal, shift_, k, factor_, failed_);
  LaneSet failed = lanes_above_zero(failed_) & bodies;
  if (failed == 0) return;

  LaneValues<T> tau = {};
  const T* pair = k;  // (i, i)
  for (int i = 0; i < rank(); ++i) {
    for (int l = 0; l < lanes<T>; ++l) tau[static_cast<std::size_t>(l)] += std::abs(scale * pair[l] + diagonal);
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
void Tile<T>::solve(LaneSet bodies, T scale, T diagonal, const T* k, T* x) {
  factorize(bodies, scale, diagonal, k);
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
