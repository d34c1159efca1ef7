// Memory of others by DLPack: out of capsules, or by the C exchange API.
#include "python/arrays/import_dlpack.hpp"

#include <array>
#include <memory>
#include <utility>

#include "python/arrays/import_device_array.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

// `Managed` is one of DLPack's two.
template <class Managed>
Array take_any(Managed* managed, bool read_only, const std::string& name, const Place& place) {
  Array array;
  array.owner = std::shared_ptr<const void>(managed, [managed](const void*) {
    if (managed->deleter != nullptr) managed->deleter(managed);
  });
  const dlpack::Tensor& tensor = managed->tensor;
  require_in(place, tensor.device, name);
  array.place = place;
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

nb::object attribute_or_none(nb::handle object, PyObject* name) {
  return nb::getattr(object, nb::handle(name), nb::none());
}

}  // namespace

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

// Page-locked and managed memory can be used from either side.
void require_in(const Place& place, const dlpack::Device& device, const std::string& name) {
  if (!place.on_device()) {
    if (device.type == dlpack::cpu || device.type == dlpack::cuda_host) return;
    throw InputError(name + " is in the memory of another device (DLPack's type " + std::to_string(device.type) +
                     ", number " + std::to_string(device.id) +
                     "); this takes arrays in the memory of the CPU, such as a tensor's .cpu()");
  }
  if (device.type == dlpack::cuda_managed || (device.type == dlpack::cuda && device.id == place.device)) return;
  require_same_device(device.type == dlpack::cuda ? device.id : -1, place, name);
}

Array take(dlpack::VersionedTensor* managed, const std::string& name, const Place& place) {
  return take_any(managed, (managed->flags & dlpack::flag_read_only) != 0, name, place);
}

Array from_capsule(nb::handle capsule, const std::string& name, const Place& place) {
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    auto* managed = static_cast<dlpack::VersionedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->version.major != 1)  // left in its capsule, which frees it
      throw InputError(name + " is offered in version " + std::to_string(managed->version.major) +
                       " of DLPack; quartic knows version 1");
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    return take(managed, name, place);
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor") != 0) {
    auto* managed = static_cast<dlpack::LegacyTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    return take_any(managed, false, name, place);
  }
  throw InputError(name + "'s __dlpack__ returned no capsule of DLPack, or one that has been used");
}

const dlpack::ExchangeApi* exchange_api_of(nb::handle object) {
  static PyObject* const name = PyUnicode_InternFromString(dlpack::exchange_api_attribute);
  const nb::object capsule = attribute_or_none(object.type(), name);
  if (PyCapsule_IsValid(capsule.ptr(), dlpack::exchange_api_capsule) == 0) return nullptr;
  const auto* header =
      static_cast<const dlpack::ExchangeHeader*>(PyCapsule_GetPointer(capsule.ptr(), dlpack::exchange_api_capsule));
  while (header != nullptr && header->version.major != 1) header = header->previous;
  return reinterpret_cast<const dlpack::ExchangeApi*>(header);  // whose first member it is
}

Array from_exchange_api(const dlpack::ExchangeApi& api, nb::handle object, const std::string& name,
                        const Place& place) {
  static PyObject* const gradient_name = PyUnicode_InternFromString("requires_grad");
  if (attribute_or_none(object, gradient_name).is(Py_True))
    throw InputError(name + " requires grad, but quartic has no gradients of it; pass its detach()");
  dlpack::VersionedTensor* managed = nullptr;
  if (api.from_object(object.ptr(), &managed) != 0) throw nb::python_error();
  Array array = take(managed, name, place);
  if (!place.on_device() || is_capturing(place)) return array;
  void* stream = nullptr;
  if (api.current_work_stream(dlpack::cuda, place.device, &stream) != 0) throw nb::python_error();
  come_behind(place, stream);
  return array;
}

}  // namespace quartic::python
