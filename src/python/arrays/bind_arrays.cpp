// The class `quartic.Array`.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "python/arrays/array.hpp"
#include "python/arrays/dlpack.hpp"
#include "python/arrays/export_array.hpp"
#include "quartic/error.hpp"

namespace quartic::python {
namespace {

nb::object buffer_error(const char* text) {
  PyErr_SetString(PyExc_BufferError, text);
  throw nb::python_error();
}

nb::tuple tuple_of(const std::vector<std::int64_t>& numbers, std::int64_t factor = 1) {
  nb::list list;
  for (const std::int64_t number : numbers) list.append(number * factor);
  return nb::tuple(list);
}

using Device = std::pair<int, int>;

Device device_pair(const Array& array) {
  const dlpack::Device device = dlpack_device(array.place);
  return {device.type, device.id};
}

// The consumer's stream comes behind ours; -1 asks for no order, None stands for the legacy default stream. Whoever
// captures a graph orders its launch.
void order_before_consumer(const Array& array, nb::handle stream) {
  const std::int64_t number = stream.is_none() ? 1 : nb::cast<std::int64_t>(stream);
  if (number == -1) return;
  if (number <= 0) buffer_error("DLPack's streams are 1 (legacy default), 2 (of the thread), a handle, or -1 for none");
  const Place consumer{array.place.device, stream_with_number(number)};
  if (!is_capturing(array.place) && !is_capturing(consumer))
    streams().order(array.place.device, array.place.stream, consumer.stream);
}

const Array& on_cpu(const Array& array) {
  if (array.place.on_device()) {
    const std::string text = "this quartic.Array is on " + array.place.text() +
                             ": a.numpy() makes a copy for the CPU, torch.from_dlpack(a) a tensor of the same memory";
    throw nb::type_error(text.c_str());
  }
  return array;
}

/// The array protocol's `copy`: True makes one, False forbids it, None leaves it to us.
nb::object to_dlpack(const Array& array, nb::handle stream, std::optional<std::pair<int, int>> max_version,
                     std::optional<Device> device, std::optional<bool> copy) {
  const bool to_cpu = array.place.on_device() && device == Device{dlpack::cpu, 0};
  if (!array.place.on_device() && !stream.is_none() &&
      !(nb::isinstance<nb::int_>(stream) && nb::cast<std::int64_t>(stream) == -1))
    return buffer_error("this quartic.Array is in the memory of the CPU, which has no streams: leave stream out");
  if (device && *device != device_pair(array) && !to_cpu)
    return buffer_error(array.place.on_device()
                            ? "this quartic.Array isn't copied to another device; the CPU gets a copy, by numpy()"
                            : "this quartic.Array is in the memory of the CPU, and isn't copied to another device");
  if (to_cpu && copy == false)
    return buffer_error("this quartic.Array is on a GPU: the CPU gets a copy, which copy=False forbids");
  if (to_cpu) return make_capsule(host_copy_of(array), max_version && max_version->first >= 1, true);
  if (array.place.on_device() && !copy.value_or(false)) order_before_consumer(array, stream);
  const bool versioned = max_version && max_version->first >= 1;
  const bool must_copy = !versioned && array.read_only;  // else the consumer would write to it
  if (must_copy && copy == false)
    return buffer_error(
        "this quartic.Array is read-only, which DLPack can tell from version 1.0 on; ask with max_version=(1, 0)");
  const bool copied = copy.value_or(false) || must_copy;
  if (!copied) return make_capsule(array, versioned, false);
  Array own = copy_of(array);
  if (own.place.on_device()) order_before_consumer(own, stream);
  return make_capsule(std::move(own), versioned, true);
}

nb::object numpy_array(nb::handle self, nb::handle dtype, nb::handle copy) {
  on_cpu(nb::cast<const Array&>(self));
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object view = numpy.attr("asarray")(nb::steal(PyMemoryView_FromObject(self.ptr())));
  const bool cast = !dtype.is_none() && !view.attr("dtype").equal(numpy.attr("dtype")(dtype));
  if (cast && copy.is(Py_False)) {
    PyErr_SetString(PyExc_ValueError, "another dtype needs a copy, which copy=False forbids");
    throw nb::python_error();
  }
  if (cast) return view.attr("astype")(dtype);
  return copy.is(Py_True) ? nb::object(view.attr("copy")()) : view;
}

std::string text_of(const Array& array) {
  return "quartic.Array(shape=" + shape_text(array.shape) + ", dtype=" + dtype_name(array.dtype) +
         (array.place.on_device() ? ", device=" + array.place.text() : "") + (array.read_only ? ", read-only)" : ")");
}

// As NumPy's `typestr`.
std::string code_of(DType dtype) {
  const std::string name = dtype_name(dtype);
  const char kind = name == "bool" ? 'b' : name[0];
  return std::string(item_size(dtype) == 1 ? "|" : "<") + kind + std::to_string(item_size(dtype));
}

nb::dict cuda_interface(const Array& array) {
  if (!array.place.on_device()) throw nb::attribute_error("this quartic.Array is in the memory of the CPU");
  nb::dict fields;
  fields["version"] = 3;
  fields["shape"] = tuple_of(array.shape);
  fields["strides"] = tuple_of(array.strides, item_size(array.dtype));
  fields["typestr"] = code_of(array.dtype);
  fields["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data), array.read_only);
  fields["stream"] = stream_number(array.place.stream);
  return fields;
}

// Entry by entry.
template <int operation>
nb::object compared(nb::handle self, nb::handle other) {
  PyObject* result = PyObject_RichCompare(numpy_array(self, nb::none(), nb::none()).ptr(), other.ptr(), operation);
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

nb::object numpy_of(nb::handle self) {
  return numpy_array(self, nb::none(), nb::none());
}

PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(&get_buffer)},
                       {Py_bf_releasebuffer, reinterpret_cast<void*>(&release_buffer)},
                       {0, nullptr}};

}  // namespace

nb::object to_numpy(Array array) {
  if (array.place.on_device()) array = host_copy_of(array);
  return numpy_of(nb::cast(std::move(array)));
}

void bind_arrays(nb::module_& module) {
  nb::class_<Array> type(
      module, "Array", nb::type_slots(slots),
      "Memory of quartic's, seen by others without a copy: torch.from_dlpack(a), numpy.asarray(a), memoryview(a). "
      "A view stays valid, and keeps the memory, when what it came from is deleted.");
  type.def_prop_ro(
          "shape", [](const Array& a) { return tuple_of(a.shape); }, nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro(
          "strides", [](const Array& a) { return tuple_of(a.strides, item_size(a.dtype)); },
          nb::sig("def strides(self) -> tuple[int, ...]"), "In bytes, as NumPy's.")
      .def_prop_ro(
          "dtype", [](const Array& a) { return std::string(dtype_name(a.dtype)); },
          "\"float32\", \"float64\", \"int32\", ...")
      .def_prop_ro("device", [](const Array& a) { return a.place.text(); })
      .def_prop_ro("read_only", [](const Array& a) { return a.read_only; })
      .def(
          "numpy", [](nb::handle self) { return to_numpy(nb::cast<const Array&>(self)); },
          nb::sig("def numpy(self) -> quartic._typing.AnyArray"),
          "The same memory as a NumPy array; of a GPU a copy, for which this waits.")
      .def_prop_ro("__cuda_array_interface__", &cuda_interface,
                   nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"))
      .def("__array__", &numpy_array, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: object = None, copy: bool | None = None) -> "
                   "quartic._typing.AnyArray"))
      .def("__dlpack__", &to_dlpack, nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
           nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none(),
           nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None, "
                   "dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> typing.Any"))
      .def("__dlpack_device__", &device_pair)
      .def("__len__",
           [](const Array& a) {
             if (a.shape.empty()) throw nb::type_error("an array without dimensions has no length");
             return a.shape[0];
           })
      .def(
          "__getitem__", [](nb::handle self, nb::handle index) { return nb::object(numpy_of(self)[index]); },
          nb::sig("def __getitem__(self, index: typing.Any) -> typing.Any"), "As NumPy's.")
      .def(
          "__setitem__", [](nb::handle self, nb::handle index, nb::handle value) { numpy_of(self)[index] = value; },
          nb::sig("def __setitem__(self, index: typing.Any, value: typing.Any) -> None"), "As NumPy's.")
      .def("__eq__", &compared<Py_EQ>, nb::sig("def __eq__(self, other: object) -> typing.Any"),
           "Entry by entry, as NumPy's.")
      .def("__ne__", &compared<Py_NE>, nb::sig("def __ne__(self, other: object) -> typing.Any"))
      .def("__repr__", &text_of);
  bind_exchange_api(type);
  module.def("_live_tensors", &live_tensors, "Tensors given out by __dlpack__ that nobody has freed, for tests.");
}

}  // namespace quartic::python
