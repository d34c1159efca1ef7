// The capsules by which `quartic.Array` goes to other libraries.
#pragma once

#include <cstdint>

#include "python/arrays/array.hpp"
#include "python/arrays/dlpack.hpp"

namespace quartic::python {

[[nodiscard]] dlpack::Device dlpack_device(const Place& place);

/// A capsule "dltensor_versioned" or, for consumers that know no versions, "dltensor", over the array's memory. Its
/// deleter may run on any thread, without the GIL, and after the interpreter's end: it holds no Python object. A
/// capsule that nobody consumes frees what it holds, once.
/// @throws InputError for a read-only array without version, which couldn't say so
[[nodiscard]] nb::object make_capsule(Array array, bool versioned, bool copied);

/// What such a capsule holds. Whoever gets it calls its deleter.
[[nodiscard]] dlpack::VersionedTensor* make_versioned(Array array, bool copied);

/// The array as DLPack describes it; its pointers are into the array.
[[nodiscard]] dlpack::Tensor tensor_of(const Array& array);

/// Gives a type of Python's, whose objects are `Array`s, the attribute `__dlpack_c_exchange_api__`.
void bind_exchange_api(nb::handle type);

/// Capsules' tensors that haven't been freed, for tests.
[[nodiscard]] std::int64_t live_tensors();

/// Fills a Py_buffer, for the slot bf_getbuffer.
int get_buffer(PyObject* self, Py_buffer* view, int flags);
/// Frees what `get_buffer` made, for the slot bf_releasebuffer.
void release_buffer(PyObject* self, Py_buffer* view);

}  // namespace quartic::python
