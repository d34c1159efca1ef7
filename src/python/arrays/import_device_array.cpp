// The CUDA array interface, version 3, as Numba's manual describes it:
// https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html
#include "python/arrays/import_device_array.hpp"

#include <array>
#include <utility>

#include "quartic/error.hpp"

namespace quartic::python {
namespace {

constexpr const char* interface_name = "__cuda_array_interface__";

DType dtype_of_code(const std::string& code, const std::string& name) {
  using enum DType;
  static constexpr std::array<std::pair<const char*, DType>, 11> rows{{{"<f4", float32},
                                                                       {"<f8", float64},
                                                                       {"|i1", int8},
                                                                       {"<i2", int16},
                                                                       {"<i4", int32},
                                                                       {"<i8", int64},
                                                                       {"|u1", uint8},
                                                                       {"<u2", uint16},
                                                                       {"<u4", uint32},
                                                                       {"<u8", uint64},
                                                                       {"|b1", boolean}}};
  for (const auto& [key, dtype] : rows)
    if (code == key) return dtype;
  throw InputError(name + " has a type of number that quartic doesn't know: '" + code + "'");
}

nb::object entry(const nb::dict& fields, const char* key) {
  return fields.contains(key) ? nb::object(fields[key]) : nb::none();
}

std::vector<std::int64_t> numbers(nb::handle tuple) {
  std::vector<std::int64_t> result;
  for (const nb::handle item : tuple) result.push_back(nb::cast<std::int64_t>(item));
  return result;
}

std::vector<std::int64_t> strides_of(const nb::object& bytes, const Array& array, const std::string& name) {
  if (bytes.is_none()) return contiguous_strides(array.shape);
  std::vector<std::int64_t> strides = numbers(bytes);
  if (strides.size() != array.shape.size()) throw InputError(name + " has other dimensions in its strides");
  for (std::int64_t& stride : strides) {
    if (stride % item_size(array.dtype) != 0)
      throw InputError(name + " has strides that aren't multiples of its item size; pass a copy of it");
    stride /= item_size(array.dtype);
  }
  return strides;
}

}  // namespace

void require_same_device(int device, const Place& place, const std::string& name) {
  if (device == place.device) return;
  const Place given{device, nullptr};
  throw InputError(name + " is on " + given.text() + ", but the work is on " + place.text() +
                   "; nothing is moved in silence: pass an array of that device, such as a tensor's .to(\"" +
                   place.text() + "\")");
}

bool has_cuda_interface(nb::handle object) {
  return nb::hasattr(object, interface_name);
}

Array from_cuda_interface(nb::handle object, const std::string& name, const Place& place) {
  const auto fields = nb::cast<nb::dict>(object.attr(interface_name));
  if (!entry(fields, "mask").is_none()) throw InputError(name + " has a mask; pass an array without one");
  const auto data = nb::cast<nb::tuple>(fields["data"]);
  Array array;
  array.dtype = dtype_of_code(nb::cast<std::string>(fields["typestr"]), name);
  array.shape = numbers(fields["shape"]);
  array.strides = strides_of(entry(fields, "strides"), array, name);
  array.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
  array.read_only = nb::cast<bool>(data[1]);
  array.place = place;
  array.owner = std::shared_ptr<const void>(new nb::object(nb::borrow(object)), [](const void* held) {
    delete static_cast<nb::object*>(const_cast<void*>(held));
  });
  if (array.size() > 0) {
    const int device = streams().device_of(array.data);
    if (device != usable_everywhere) require_same_device(device, place, name);
  }
  const nb::object stream = entry(fields, "stream");  // None: the producer asks for no order
  if (!stream.is_none()) come_behind(place, stream_with_number(nb::cast<std::int64_t>(stream)));
  return array;
}

}  // namespace quartic::python
