#include "python/arrays/device_array.hpp"

#include <utility>

#include "quartic/error.hpp"

namespace quartic::python {
namespace {

struct Rows {
  std::int64_t rows, columns, row_stride, column_stride;
};

// One or two dimensions, or C order.
Rows rows_of(const Array& array) {
  if (array.is_contiguous()) return {1, array.size(), array.size(), 1};
  if (array.shape.size() == 1) return {1, array.shape[0], array.shape[0], array.strides[0]};
  if (array.shape.size() == 2) return {array.shape[0], array.shape[1], array.strides[0], array.strides[1]};
  throw InputError("an array of " + std::to_string(array.shape.size()) +
                   " dimensions on a device is only copied if it is in C order");
}

// Numbers of 4 or 8 bytes, whatever they mean: a copy of floats keeps all bits.
template <class T>
void copy_rows(const Array& from, const Array& to) {
  const Rows rows = rows_of(from);
  device_operations().batch<T>().copy_state(
      {static_cast<const T*>(from.data), rows.columns, rows.rows, rows.column_stride, rows.row_stride},
      {static_cast<T*>(to.data), rows.columns, rows.rows, 1, rows.columns}, to.place.stream);
}

}  // namespace

Array device_array(DType dtype, std::vector<std::int64_t> shape, const Place& place) {
  const std::size_t bytes = byte_size(dtype, shape);
  Array array{nullptr, nullptr, dtype, std::move(shape), {}, false, place};
  array.strides = contiguous_strides(array.shape);
  std::shared_ptr<void> memory = streams().allocate(place.device, bytes, place.stream);
  array.data = memory.get();
  array.owner = std::move(memory);
  return array;
}

Array device_copy_of(const Array& array, const Place& place) {
  const Array packed = array.is_contiguous() ? array : copy_of(array);
  Array result = device_array(array.dtype, array.shape, place);
  const auto bytes = static_cast<std::size_t>(array.size() * item_size(array.dtype));
  streams().copy_to_device(place.device, packed.data, result.data, bytes, place.stream);
  return result;
}

Array copy_on_device(const Array& array) {
  Array result = device_array(array.dtype, array.shape, array.place);
  if (array.size() == 0) return result;
  switch (item_size(array.dtype)) {
    case 4:
      copy_rows<float>(array, result);
      break;
    case 8:
      copy_rows<double>(array, result);
      break;
    default:
      throw InputError(std::string("an array of ") + dtype_name(array.dtype) + " isn't copied on a device");
  }
  return result;
}

Array host_copy_of(const Array& array) {
  if (!array.place.on_device()) return copy_of(array);
  const Array packed = array.is_contiguous() ? array : copy_on_device(array);
  const auto bytes = static_cast<std::size_t>(array.size() * item_size(array.dtype));
  auto memory = std::make_shared<std::vector<std::byte>>(bytes);
  streams().copy_to_host(array.place.device, packed.data, memory->data(), bytes, array.place.stream);
  void* data = memory->data();
  return {std::move(memory), data, array.dtype, array.shape, contiguous_strides(array.shape), false};
}

}  // namespace quartic::python
