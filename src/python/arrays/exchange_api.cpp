// DLPack's C exchange API for `quartic.Array`: what libraries call instead of the methods of Python's objects.
//
// Its current stream is the legacy default one of each device. Arrays may belong to other streams; their memory is
// handed out once the current one has been told to come behind those.
#include <exception>
#include <new>
#include <utility>

#include "python/arrays/export_array.hpp"
#include "python/arrays/import_dlpack.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

// C's callers know no exceptions.
template <class F>
int with_python_error(F f) {
  try {
    f();
    return 0;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  }
  return -1;
}

const Array& array_in(void* object) {
  const nb::handle handle(static_cast<PyObject*>(object));
  if (!nb::isinstance<Array>(handle)) throw InputError("these functions of DLPack's are for quartic.Array alone");
  const Array& array = nb::cast<const Array&>(handle);
  const Place& place = array.place;
  if (place.on_device() && place.stream != nullptr && !is_capturing(place))
    streams().order(place.device, place.stream, nullptr);
  return array;
}

Place place_of(const dlpack::Device& device) {
  if (device.type == dlpack::cuda || device.type == dlpack::cuda_managed) return {device.id, nullptr};
  return {};
}

int from_object(void* object, dlpack::VersionedTensor** out) {
  return with_python_error([&] { *out = make_versioned(array_in(object), false); });
}

int view_object(void* object, dlpack::Tensor* out) {
  return with_python_error([&] {
    const Array& array = array_in(object);
    if (array.read_only)
      throw InputError("this array is read-only, and a tensor without flags couldn't say so; take it with them");
    *out = tensor_of(array);
  });
}

int to_object(dlpack::VersionedTensor* tensor, void** out) {
  return with_python_error([&] {
    Array array = take(tensor, "the tensor", place_of(tensor->tensor.device));
    *out = nb::cast(std::move(array)).release().ptr();
  });
}

int current_work_stream(std::int32_t /*device_type*/, std::int32_t /*device_id*/, void** out) {
  *out = nullptr;
  return 0;
}

Array new_array(const dlpack::Tensor& like) {
  const std::optional<DType> dtype = dtype_of(like.dtype);
  if (!dtype) throw InputError("quartic has no arrays of this type of number");
  if (like.dimensions < 0 || (like.dimensions > 0 && like.shape == nullptr))
    throw InputError("a tensor of " + std::to_string(like.dimensions) + " dimensions has no shape");
  std::vector<std::int64_t> shape(like.shape, like.shape + like.dimensions);
  if (like.device.type == dlpack::cuda) return device_array(*dtype, std::move(shape), {like.device.id, nullptr});
  if (like.device.type == dlpack::cpu) return host_array(*dtype, std::move(shape));
  throw InputError("quartic has no memory on devices of DLPack's type " + std::to_string(like.device.type));
}

// May be called without the GIL.
int allocate(dlpack::Tensor* prototype, dlpack::VersionedTensor** out, void* error_context,
             void (*set_error)(void* error_context, const char* kind, const char* message)) {
  try {
    *out = make_versioned(new_array(*prototype), false);
    return 0;
  } catch (const std::bad_alloc& error) {
    set_error(error_context, "MemoryError", error.what());
  } catch (const std::exception& error) {
    set_error(error_context, "BufferError", error.what());
  }
  return -1;
}

constexpr dlpack::ExchangeApi api{{}, &allocate, &from_object, &to_object, &view_object, &current_work_stream};

}  // namespace

void bind_exchange_api(nb::handle type) {
  PyObject* capsule = PyCapsule_New(const_cast<dlpack::ExchangeApi*>(&api), dlpack::exchange_api_capsule, nullptr);
  if (capsule == nullptr) throw nb::python_error();
  nb::setattr(type, dlpack::exchange_api_attribute, nb::steal(capsule));
}

}  // namespace quartic::python
