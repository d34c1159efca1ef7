// Views of the state of many bodies.
#pragma once

#include <cstdint>
#include <type_traits>

#include "quartic/export.hpp"

namespace quartic {

/// Rows of `Batch::pose`; of `twist`, `twist_rate` and `wrench`.
inline constexpr std::int64_t pose_size = 7, twist_size = 6;

/// The range of a group's bodies in its batch.
struct GroupRange {
  std::int64_t first_body = 0;
  std::int64_t bodies = 0;
  std::int64_t rank = 0;  ///< of the group's model
};

/// A strided view of an (r, B) array: entry (mode, body) is `data[mode * stride_mode + body * stride_body]`.
/// A C-ordered (B, r) array has stride_mode = 1, stride_body = r.
template <class T>
struct StateView {
  T* data = nullptr;
  std::int64_t rank = 0;
  std::int64_t bodies = 0;
  std::int64_t stride_mode = 0;
  std::int64_t stride_body = 0;

  [[nodiscard]] T& operator()(std::int64_t mode, std::int64_t body) const {
    return data[mode * stride_mode + body * stride_body];
  }
  /// The view of bodies `range.first_body ..` and their first `range.rank` coordinates: one group of a batch.
  [[nodiscard]] StateView part(const GroupRange& range) const {
    return {data + range.first_body * stride_body, range.rank, range.bodies, stride_mode, stride_body};
  }
  /// All rows of the range's bodies, where their number doesn't depend on the rank: poses, twists, wrenches.
  [[nodiscard]] StateView all_rows(const GroupRange& range) const {
    return {data + range.first_body * stride_body, rank, range.bodies, stride_mode, stride_body};
  }
  /// A view of const elements.
  operator StateView<const T>() const  // NOLINT(google-explicit-constructor): as span converts
      requires(!std::is_const_v<T>) {
    return {data, rank, bodies, stride_mode, stride_body};
  }
};

/// Copies between views of equal shape and any strides, for example NumPy's (B, r). @throws InputError if shapes differ
template <class T>
QUARTIC_EXPORT void copy_state(StateView<const T> from, StateView<T> to);

}  // namespace quartic
