// Numbers of one body of a batch, in double, on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "core/frame/rotation.hpp"
#include "quartic/state.hpp"

namespace quartic {

template <class T>
[[nodiscard]] std::vector<double> column(StateView<const T> view, std::int64_t body, std::int64_t rows) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < rows; ++i) numbers.push_back(double{view(i, body)});
  return numbers;
}

/// Rows first .. first + 2.
template <class T>
[[nodiscard]] frame::Vector3<double> vector_of(StateView<const T> view, std::int64_t body, std::int64_t first) {
  return {double{view(first, body)}, double{view(first + 1, body)}, double{view(first + 2, body)}};
}
template <class T>
void put_vector(const frame::Vector3<double>& value, StateView<T> view, std::int64_t body, std::int64_t first) {
  view(first, body) = static_cast<T>(value.x);
  view(first + 1, body) = static_cast<T>(value.y);
  view(first + 2, body) = static_cast<T>(value.z);
}

/// The rotation in a pose, whose quaternion may have any length but zero.
template <class T>
[[nodiscard]] frame::Quaternion<double> rotation_in(StateView<const T> pose, std::int64_t body) {
  return normalised(frame::Quaternion<double>{vector_of(pose, body, 3), double{pose(6, body)}});
}

/// Calls visit(body, group) for all bodies of groups with a frame.
template <class T, class Visit>
void for_each_framed_body(const BatchImpl<T>& batch, const Visit& visit) {
  for (std::size_t g = 0; g < batch.frames().size(); ++g) {
    if (batch.frames()[g] == nullptr) continue;
    const GroupRange& range = batch.ranges()[g];
    for (std::int64_t body = range.first_body; body < range.first_body + range.bodies; ++body) visit(body, g);
  }
}

}  // namespace quartic
