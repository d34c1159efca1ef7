// Arrays of others: by DLPack, else by the buffer protocol.
#include <Python.h>

#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "python/arrays/array.hpp"
#include "python/arrays/dlpack.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

std::string class_name(nb::handle object) {
  return nb::cast<std::string>(object.type().attr("__name__"));
}

std::optional<DType> dtype_of(const dlpack::DataType& type) {
  if (type.lanes != 1) return std::nullopt;
  using enum DType;
  static constexpr std::array<std::pair<int, DType>, 11> rows{{{2 * 256 + 32, float32},
                                                               {2 * 256 + 64, float64},
                                                               {8, int8},
                                                               {16, int16},
                                                               {32, int32},
                                                               {64, int64},
                                                               {256 + 8, uint8},
                                                               {256 + 16, uint16},
                                                               {256 + 32, uint32},
                                                               {256 + 64, uint64},
                                                               {6 * 256 + 8, boolean}}};
  for (const auto& [key, dtype] : rows)
    if (key == 256 * type.code + type.bits) return dtype;
  return std::nullopt;
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

void require_on_cpu(const dlpack::Device& device, const std::string& name) {
  if (device.type == dlpack::cpu || device.type == dlpack::cuda_host) return;
  throw InputError(name + " is in the memory of another device (DLPack's type " + std::to_string(device.type) +
                   ", number " + std::to_string(device.id) +
                   "); this takes arrays in the memory of the CPU, such as a tensor's .cpu()");
}

// Takes over the memory that a capsule describes; `Managed` is one of DLPack's two.
template <class Managed>
Array take(Managed* managed, bool read_only, const std::string& name) {
  Array array;
  array.owner = std::shared_ptr<const void>(managed, [managed](const void*) {
    if (managed->deleter != nullptr) managed->deleter(managed);
  });
  const dlpack::Tensor& tensor = managed->tensor;
  require_on_cpu(tensor.device, name);
  const std::optional<DType> dtype = dtype_of(tensor.dtype);
  if (!dtype)
    throw InputError(name + " has a type of number that quartic doesn't know: DLPack's code " +
                     std::to_string(tensor.dtype.code) + " with " + std::to_string(tensor.dtype.bits) + " bits");
  array.dtype = *dtype;
  array.data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  array.shape.assign(tensor.shape, tensor.shape + tensor.dimensions);
  if (tensor.strides != nullptr)
    array.strides.assign(tensor.strides, tensor.strides + tensor.dimensions);
  else
    array.strides = contiguous_strides(array.shape);
  array.read_only = read_only;
  return array;
}

Array from_capsule(nb::handle capsule, const std::string& name) {
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    auto* managed = static_cast<dlpack::VersionedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->version.major != 1)  // left in its capsule, which frees it
      throw InputError(name + " is offered in version " + std::to_string(managed->version.major) +
                       " of DLPack; quartic knows version 1");
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    return take(managed, (managed->flags & dlpack::flag_read_only) != 0, name);
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor") != 0) {
    auto* managed = static_cast<dlpack::LegacyTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    return take(managed, false, name);
  }
  throw InputError(name + "'s __dlpack__ returned no capsule of DLPack, or one that has been used");
}

// The capsule, with fewer keywords where the producer knows fewer. A stream is for devices: none is passed.
nb::object ask_for_capsule(nb::handle object) {
  const nb::object method = object.attr("__dlpack__");
  nb::dict keywords;
  keywords["max_version"] = nb::make_tuple(1, 1);
  keywords["copy"] = false;
  for (const char* next : {"copy", "max_version"}) {
    try {
      return method(**keywords);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_TypeError)) throw;
    }
    nb::del(keywords[next]);
  }
  return method();
}

void require_device_of(nb::handle object, const std::string& name) {
  if (!nb::hasattr(object, "__dlpack_device__")) return;
  const nb::object device = object.attr("__dlpack_device__")();
  require_on_cpu({nb::cast<std::int32_t>(nb::int_(device[0])), nb::cast<std::int32_t>(nb::int_(device[1]))}, name);
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

}  // namespace

Array import_array(nb::handle object, const std::string& name) {
  if (nb::isinstance<Array>(object)) return nb::cast<const Array&>(object);
  const bool has_buffer = PyObject_CheckBuffer(object.ptr()) != 0;
  if (nb::hasattr(object, "__dlpack__")) try {
      require_device_of(object, name);
      return from_capsule(ask_for_capsule(object), name);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) throw;  // such as Ctrl-C
      if (!has_buffer)
        throw InputError(name + ", a " + class_name(object) +
                         ", can't be exchanged: " + nb::cast<std::string>(nb::str(error.value())));
    }
  if (has_buffer) return from_buffer(object, name);
  throw InputError(name + " is a " + class_name(object) +
                   "; an array is needed: NumPy's, a tensor, or whatever else has __dlpack__ or the buffer protocol");
}

Array import_output(nb::handle object, const std::string& name) {
  Array array = import_array(object, name);
  if (array.read_only) throw InputError(name + " is read-only; pass an array that can be written to");
  for (std::size_t i = 0; i < array.shape.size(); ++i)
    if (array.strides[i] == 0 && array.shape[i] > 1)
      throw InputError(name + " has several entries at one place in memory (a stride of 0); pass an array of its own");
  return array;
}

}  // namespace quartic::python
