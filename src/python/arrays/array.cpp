// What every array has: type, shape, strides.
#include "python/arrays/array.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "python/arrays/device_array.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

struct TypeRow {
  const char* name;
  std::int64_t size;
};
constexpr std::array<TypeRow, 11> types{{{"float32", 4},
                                         {"float64", 8},
                                         {"int8", 1},
                                         {"int16", 2},
                                         {"int32", 4},
                                         {"int64", 8},
                                         {"uint8", 1},
                                         {"uint16", 2},
                                         {"uint32", 4},
                                         {"uint64", 8},
                                         {"bool", 1}}};

/// First and last byte but one that an array spans; empty for one without elements.
std::pair<const std::byte*, const std::byte*> extent(const Array& array) {
  const auto* low = static_cast<const std::byte*>(array.data);
  if (array.size() == 0) return {low, low};
  const std::byte* high = low;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    const std::int64_t reach = (array.shape[i] - 1) * array.strides[i] * item_size(array.dtype);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high + item_size(array.dtype)};
}

bool fits(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& wanted) {
  return std::equal(shape.begin(), shape.end(), wanted.begin(), wanted.end(),
                    [](std::int64_t extent, std::int64_t want) { return want < 0 || extent == want; });
}

// "(3, 12)", "(5,)", by the text of each extent.
template <class TextOf>
std::string tuple_text(const std::vector<std::int64_t>& shape, TextOf text_of) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + text_of(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// "(any, 3)" where an extent is free.
std::string wanted_text(const std::vector<std::int64_t>& shape) {
  return tuple_text(shape, [](std::int64_t extent) { return extent < 0 ? "any" : std::to_string(extent); });
}

}  // namespace

const char* dtype_name(DType dtype) {
  return types[static_cast<std::size_t>(dtype)].name;
}

std::int64_t item_size(DType dtype) {
  return types[static_cast<std::size_t>(dtype)].size;
}

std::int64_t Array::size() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

bool Array::is_contiguous() const {
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i])
    if (shape[i] != 1 && strides[i] != stride && size() > 0) return false;
  return true;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return tuple_text(shape, [](std::int64_t extent) { return std::to_string(extent); });
}

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i]) strides[i] = stride;
  return strides;
}

void require(const Array& array, const std::string& name, DType dtype, const std::vector<std::int64_t>& shape) {
  if (array.dtype != dtype || !fits(array.shape, shape))
    throw InputError(name + " is an array of " + dtype_name(array.dtype) + " with shape " + shape_text(array.shape) +
                     ", but " + dtype_name(dtype) + " with shape " + wanted_text(shape) +
                     " is needed; nothing is converted in silence");
  if (reinterpret_cast<std::uintptr_t>(array.data) % static_cast<std::uintptr_t>(item_size(dtype)) != 0)
    throw InputError(name + " doesn't lie at a multiple of its item size in memory; pass a copy of it");
}

bool overlap(const Array& a, const Array& b) {
  const auto [a_low, a_high] = extent(a);
  const auto [b_low, b_high] = extent(b);
  const std::less<> before;
  return before(a_low, b_high) && before(b_low, a_high);
}

bool may_overlap_itself(const Array& array) {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // (stride, how often)
  for (std::size_t i = 0; i < array.shape.size(); ++i)
    if (array.shape[i] > 1) steps.emplace_back(std::abs(array.strides[i]), array.shape[i] - 1);
  std::sort(steps.begin(), steps.end());
  std::int64_t reach = 0;
  for (const auto& [stride, count] : steps) {
    if (stride <= reach) return array.size() > 0;
    reach += stride * count;
  }
  return false;
}

std::size_t byte_size(DType dtype, const std::vector<std::int64_t>& shape) {
  std::int64_t spanned = item_size(dtype), size = spanned;  // extents of 0 counted as 1 in the first: strides fit, too
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw InputError("an array can't have the shape " + shape_text(shape) + ": extents are 0 or more");
    if (extent > std::numeric_limits<std::int64_t>::max() / spanned)
      throw InputError("an array of the shape " + shape_text(shape) + " has more bytes than there are addresses");
    spanned *= std::max<std::int64_t>(extent, 1);
    size *= extent;
  }
  return static_cast<std::size_t>(size);
}

Array host_array(DType dtype, std::vector<std::int64_t> shape) {
  auto bytes = std::make_shared<std::vector<std::byte>>(byte_size(dtype, shape));
  Array array{nullptr, nullptr, dtype, std::move(shape), {}, false};
  array.strides = contiguous_strides(array.shape);
  array.data = bytes->data();
  array.owner = std::move(bytes);
  return array;
}

Array copy_of(const Array& array) {
  if (array.place.on_device()) return copy_on_device(array);
  Array result = host_array(array.dtype, array.shape);
  const std::int64_t item = item_size(array.dtype), count = array.size();
  std::vector<std::int64_t> index(array.shape.size(), 0);
  auto* to = static_cast<std::byte*>(result.data);
  const auto* from = static_cast<const std::byte*>(array.data);
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * array.strides[i];
    std::memcpy(to + n * item, from + offset * item, static_cast<std::size_t>(item));
    for (std::size_t i = index.size(); i-- > 0;) {
      if (++index[i] < array.shape[i]) break;
      index[i] = 0;
    }
  }
  return result;
}

}  // namespace quartic::python
