// Rows of a tile from and to a batch's arrays.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/aligned_array.hpp"
#include "core/batch/scheme.hpp"
#include "cpu/batch/tile.hpp"

namespace quartic::cpu {

/// Memory for arrays of so many rows each, which then point into it, each at a whole cache line.
template <int lanes, class T, std::size_t count>
[[nodiscard]] AlignedArray<T> allot_rows(const std::int64_t (&rows)[count], T** const (&arrays)[count]) {
  std::int64_t whole = 0;
  for (const std::int64_t size : rows) whole += padded<T>(size * lanes);
  AlignedArray<T> storage(whole);
  T* next = storage.data();
  for (std::size_t n = 0; n < count; ++n) *arrays[n] = std::exchange(next, next + padded<T>(rows[n] * lanes));
  return storage;
}

/// Zeros for bodies that aren't in the set.
template <int lanes, class T>
void load_rows(const AlignedArray<T>& from, std::int64_t pitch, std::int64_t first, int rank, LaneSet bodies, T* to) {
  for (int i = 0; i < rank; ++i) {
    const T* row = from.data() + i * pitch + first;
    if (bodies == all_lanes<lanes>) {
      std::copy_n(row, lanes, to + i * lanes);
    } else {
      for (int l = 0; l < lanes; ++l) to[i * lanes + l] = contains(bodies, l) ? row[l] : T{0};
    }
  }
}

template <int lanes, class T>
void store_rows(const T* from, int rank, LaneSet bodies, const AlignedArray<T>& to, std::int64_t pitch,
                std::int64_t first) {
  for (int i = 0; i < rank; ++i) {
    T* row = to.data() + i * pitch + first;
    if (bodies == all_lanes<lanes>) {
      std::copy_n(from + i * lanes, lanes, row);
    } else {
      for (int l = 0; l < lanes; ++l)
        if (contains(bodies, l)) row[l] = from[i * lanes + l];
    }
  }
}

/// What isn't 0 at the end has had a number that isn't finite.
template <class T, std::size_t lanes>
void add_defects(const T* rows, std::int64_t size, std::array<T, lanes>& defects) {
  for (std::int64_t n = 0; n < size; n += static_cast<std::int64_t>(lanes))
    for (std::size_t l = 0; l < lanes; ++l) defects[l] += defect(rows[n + static_cast<std::int64_t>(l)]);
}

template <class T, std::size_t lanes>
[[nodiscard]] LaneSet lanes_with(const std::array<T, lanes>& defects) {
  LaneSet set = 0;
  for (std::size_t l = 0; l < lanes; ++l)
    if (defects[l] != 0) set |= LaneSet{1} << l;
  return set;
}

}  // namespace quartic::cpu
