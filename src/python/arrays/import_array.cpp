// Arrays of others: which of the protocols that an object has is used, and the buffer protocol.
#include <Python.h>

#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "python/arrays/array.hpp"
#include "python/arrays/import_device_array.hpp"
#include "python/arrays/import_dlpack.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

std::string class_name(nb::handle object) {
  return nb::cast<std::string>(object.type().attr("__name__"));
}

// The buffer protocol's letters, in this machine's byte order; struct.h of Python's manual.
std::optional<DType> dtype_of(std::string_view format, Py_ssize_t size) {
  if (!format.empty() && std::string_view("@=<").find(format[0]) != std::string_view::npos) format.remove_prefix(1);
  if (format.size() != 1) return std::nullopt;
  using enum DType;
  const auto sized = [size](DType one, DType two, DType four, DType eight) {
    return size == 1 ? one : size == 2 ? two : size == 4 ? four : eight;
  };
  switch (format[0]) {
    case 'f':
      return float32;
    case 'd':
      return float64;
    case '?':
      return boolean;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return sized(int8, int16, int32, int64);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return sized(uint8, uint16, uint32, uint64);
    default:
      return std::nullopt;
  }
}

// The capsule, with fewer keywords where the producer knows fewer. A stream is for devices alone: the work that the
// producer has put into its own so far is to come before what gets into ours. While ours is being captured there is no
// such order.
nb::object ask_for_capsule(nb::handle object, const Place& place) {
  const nb::object method = object.attr("__dlpack__");
  nb::dict keywords;
  constexpr dlpack::Version known;
  keywords["max_version"] = nb::make_tuple(known.major, known.minor);
  keywords["copy"] = false;
  if (place.on_device()) keywords["stream"] = is_capturing(place) ? -1 : stream_number(place.stream);
  for (const char* next : {"copy", "max_version", "stream"}) {
    if (!keywords.contains(next)) continue;
    try {
      return method(**keywords);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_TypeError)) throw;
    }
    nb::del(keywords[next]);
  }
  const nb::object capsule = method();
  // Without a stream the producer has to assume the legacy default one.
  if (place.on_device()) come_behind(place, nullptr);
  return capsule;
}

dlpack::Device device_of(nb::handle object) {
  const nb::object device = object.attr("__dlpack_device__")();
  return {nb::cast<std::int32_t>(nb::int_(device[0])), nb::cast<std::int32_t>(nb::int_(device[1]))};
}

// Before anything is asked of the producer.
void require_device_of(nb::handle object, const std::string& name, const Place& place) {
  if (nb::hasattr(object, "__dlpack_device__")) require_in(place, device_of(object), name);
}

Array from_own(const Array& array, const std::string& name, const Place& place) {
  require_same_device(array.place.device, place, name);
  if (place.on_device()) come_behind(place, array.place.stream);
  Array result = array;
  result.place = place;
  return result;
}

Array from_buffer(nb::handle object, const std::string& name) {
  auto buffer = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), buffer.get(), PyBUF_FORMAT | PyBUF_STRIDES) != 0) throw nb::python_error();
  const Py_buffer& given = *buffer;
  Array array;
  array.owner = std::shared_ptr<const void>(buffer.release(), [](const void* held) {
    auto* done = static_cast<Py_buffer*>(const_cast<void*>(held));
    PyBuffer_Release(done);
    delete done;
  });
  const std::string_view format = given.format == nullptr ? "B" : given.format;
  const std::optional<DType> dtype = dtype_of(format, given.itemsize);
  if (!dtype || item_size(*dtype) != given.itemsize)
    throw InputError(name + " has a type of number that quartic doesn't know: format '" + std::string(format) + "'");
  array.dtype = *dtype;
  array.data = given.buf;
  array.read_only = given.readonly != 0;
  for (int i = 0; i < given.ndim; ++i) {
    if (given.strides[i] % given.itemsize != 0)
      throw InputError(name + " has strides that aren't multiples of its item size; pass a copy of it");
    array.shape.push_back(given.shape[i]);
    array.strides.push_back(given.strides[i] / given.itemsize);
  }
  return array;
}

InputError refused(nb::handle object, const std::string& name, const nb::python_error& error) {
  return InputError(name + ", a " + class_name(object) +
                    ", can't be exchanged: " + nb::cast<std::string>(nb::str(error.value())));
}

// By one of DLPack's two ways; nothing if the object has neither.
std::optional<Array> from_dlpack(nb::handle object, const std::string& name, const Place& place) {
  try {
    if (const dlpack::ExchangeApi* api = exchange_api_of(object)) return from_exchange_api(*api, object, name, place);
    if (!nb::hasattr(object, "__dlpack__")) return std::nullopt;
    require_device_of(object, name, place);
    return from_capsule(ask_for_capsule(object, place), name, place);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // such as Ctrl-C
    throw refused(object, name, error);
  }
}

// What it costs least to ask for, where the CPU is meant.
std::optional<Array> from_buffer_if_any(nb::handle object, const std::string& name) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) return std::nullopt;
  try {
    return from_buffer(object, name);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    if (nb::hasattr(object, "__dlpack__")) return std::nullopt;
    throw refused(object, name, error);
  }
}

}  // namespace

bool is_on_device(nb::handle object) {
  if (nb::isinstance<Array>(object)) return nb::cast<const Array&>(object).place.on_device();
  if (!nb::hasattr(object, "__dlpack_device__")) return has_cuda_interface(object);
  const std::int32_t type = device_of(object).type;
  return type == dlpack::cuda || type == dlpack::cuda_managed;
}

Array import_array(nb::handle object, const std::string& name, const Place& place) {
  if (nb::isinstance<Array>(object)) return from_own(nb::cast<const Array&>(object), name, place);
  if (!place.on_device())
    if (std::optional<Array> array = from_buffer_if_any(object, name)) return std::move(*array);
  if (std::optional<Array> array = from_dlpack(object, name, place)) return std::move(*array);
  if (place.on_device() && has_cuda_interface(object)) return from_cuda_interface(object, name, place);
  if (place.on_device()) require_same_device(-1, place, name);
  throw InputError(name + " is a " + class_name(object) +
                   "; an array is needed: NumPy's, a tensor, or whatever else has __dlpack__ or the buffer protocol");
}

Array import_output(nb::handle object, const std::string& name, const Place& place) {
  Array array = import_array(object, name, place);
  if (array.read_only) throw InputError(name + " is read-only; pass an array that can be written to");
  if (may_overlap_itself(array))
    throw InputError(name + " has several entries at one place in memory; pass an array of its own");
  return array;
}

}  // namespace quartic::python
