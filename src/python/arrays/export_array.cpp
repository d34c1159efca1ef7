#include "python/arrays/export_array.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include "python/arrays/dlpack.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

std::atomic<std::int64_t> live{0};

constexpr const char* name_of(const dlpack::VersionedTensor*) {
  return "dltensor_versioned";
}
constexpr const char* name_of(const dlpack::LegacyTensor*) {
  return "dltensor";
}

dlpack::DataType type_of(DType dtype) {
  using enum DType;
  const auto bits = static_cast<std::uint8_t>(8 * item_size(dtype));
  switch (dtype) {
    case float32:
    case float64:
      return {dlpack::code_float, bits, 1};
    case int8:
    case int16:
    case int32:
    case int64:
      return {dlpack::code_int, bits, 1};
    case boolean:
      return {dlpack::code_bool, bits, 1};
    default:
      return {dlpack::code_uint, bits, 1};
  }
}

// What a consumer holds: the tensor, and the array that its pointers lead to.
template <class Managed>
struct Held {
  explicit Held(Array held) : array(std::move(held)) {
    live.fetch_add(1);
    managed.context = this;
    managed.deleter = [](Managed* done) { delete static_cast<Held*>(done->context); };
    managed.tensor = tensor_of(array);
  }
  ~Held() { live.fetch_sub(1); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  Array array;
  Managed managed;
};

template <class Managed>
void free_unconsumed(PyObject* capsule) {
  const char* name = name_of(static_cast<Managed*>(nullptr));
  if (PyCapsule_IsValid(capsule, name) == 0) return;  // consumed, and renamed
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

template <class Managed>
nb::object capsule_of(Managed* managed) {
  PyObject* capsule = PyCapsule_New(managed, name_of(managed), &free_unconsumed<Managed>);
  if (capsule == nullptr) {
    managed->deleter(managed);
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

bool is_contiguous_backwards(const Array& array) {
  Array reversed{nullptr,
                 array.data,
                 array.dtype,
                 {array.shape.rbegin(), array.shape.rend()},
                 {array.strides.rbegin(), array.strides.rend()},
                 true};
  return reversed.is_contiguous();
}

const char* format_of(DType dtype) {
  static constexpr const char* formats[] = {"f", "d", "b", "h", "i", "q", "B", "H", "I", "Q", "?"};
  return formats[static_cast<std::size_t>(dtype)];
}

// What lives as long as a Py_buffer.
struct BufferLayout {
  std::vector<Py_ssize_t> shape, strides;
};

const char* refusal(const Array& array, int flags) {
  if (array.place.on_device()) return "this quartic.Array is on a GPU: a.numpy() makes a copy for the CPU";
  if ((flags & PyBUF_WRITABLE) != 0 && array.read_only) return "this quartic.Array is read-only";
  const bool in_c = array.is_contiguous(), in_f = is_contiguous_backwards(array);
  if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !in_c) return "this quartic.Array isn't in C order";
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !in_f) return "this quartic.Array isn't in Fortran order";
  if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !in_c && !in_f)
    return "this quartic.Array isn't contiguous";
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !in_c) return "this quartic.Array has strides";
  return nullptr;
}

}  // namespace

dlpack::Device dlpack_device(const Place& place) {
  if (!place.on_device()) return {dlpack::cpu, 0};
  return {dlpack::cuda, place.device};
}

dlpack::Tensor tensor_of(const Array& array) {
  return {array.data,
          dlpack_device(array.place),
          static_cast<std::int32_t>(array.shape.size()),
          type_of(array.dtype),
          const_cast<std::int64_t*>(array.shape.data()),
          const_cast<std::int64_t*>(array.strides.data()),
          0};
}

dlpack::VersionedTensor* make_versioned(Array array, bool copied) {
  auto held = std::make_unique<Held<dlpack::VersionedTensor>>(std::move(array));
  held->managed.flags = (held->array.read_only ? dlpack::flag_read_only : 0) | (copied ? dlpack::flag_copied : 0);
  return &held.release()->managed;
}

nb::object make_capsule(Array array, bool versioned, bool copied) {
  if (versioned) return capsule_of(make_versioned(std::move(array), copied));
  if (array.read_only)
    throw InputError(
        "a read-only array can't be told as such without DLPack 1.0; ask with max_version=(1, 0) or copy=True");
  return capsule_of(&std::make_unique<Held<dlpack::LegacyTensor>>(std::move(array)).release()->managed);
}

std::int64_t live_tensors() {
  return live.load();
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const Array& array = *nb::inst_ptr<Array>(self);
  if (const char* why = refusal(array, flags)) {
    view->obj = nullptr;
    PyErr_SetString(PyExc_BufferError, why);
    return -1;
  }
  const std::int64_t item = item_size(array.dtype);
  std::unique_ptr<BufferLayout> layout;
  try {
    layout = std::make_unique<BufferLayout>();
    layout->shape.assign(array.shape.begin(), array.shape.end());
    layout->strides.assign(array.strides.begin(), array.strides.end());
  } catch (const std::bad_alloc&) {  // Python calls this, and knows nothing of exceptions
    view->obj = nullptr;
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t& stride : layout->strides) stride *= item;
  view->buf = array.data;
  view->len = array.size() * item;
  view->itemsize = item;
  view->readonly = array.read_only ? 1 : 0;
  view->ndim = static_cast<int>(array.shape.size());
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format_of(array.dtype)) : nullptr;
  view->shape = (flags & PyBUF_ND) != 0 ? layout->shape.data() : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? layout->strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = layout.release();
  view->obj = Py_NewRef(self);
  return 0;
}

void release_buffer(PyObject* /*self*/, Py_buffer* view) {
  delete static_cast<BufferLayout*>(view->internal);
}

}  // namespace quartic::python
