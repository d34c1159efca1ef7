// New NumPy arrays of what calls of locked batches return.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "python/shared.hpp"

namespace quartic::python {

/// Numbers or words of a batch, shape (count), as a copy. @param object with `alone` @param values of a batch
template <class To, class Object, class F>
[[nodiscard]] nb::object copied(const Object& object, F values) {
  std::vector<To> copy = object.alone([&](const auto& batch) {
    std::vector<To> result;
    for (const auto value : values(batch)) result.push_back(static_cast<To>(value));
    return result;
  });
  const std::int64_t count = std::ssize(copy);
  return to_numpy(owning_array(std::move(copy), {count}));
}

}  // namespace quartic::python
