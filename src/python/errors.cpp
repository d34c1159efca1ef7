#include "python/errors.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "quartic/error.hpp"

namespace quartic::python {
namespace {

namespace nb = nanobind;

// Live as long as the process: exceptions may be raised while the interpreter ends.
struct ErrorTypes {
  PyObject *error, *input, *parse, *file, *numerical, *unavailable, *device;
};
ErrorTypes types;

PyObject* define(nb::module_& module, const char* name, const char* text, const nb::tuple& bases) {
  const std::string full_name = nb::cast<std::string>(module.attr("__name__")) + "." + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full_name.c_str(), text, bases.ptr(), nullptr);
  if (type == nullptr) throw nb::python_error();
  module.attr(name) = nb::handle(type);
  return type;
}

void raise_parse_error(const ParseError& error) {
  const nb::object raised = nb::handle(types.parse)(error.what());
  raised.attr("filename") = error.file();
  raised.attr("lineno") = error.line();
  PyErr_SetObject(types.parse, raised.ptr());
}

// The most derived first.
void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ParseError& error) {
    raise_parse_error(error);
  } catch (const FileError& error) {
    PyErr_SetString(types.file, error.what());
  } catch (const InputError& error) {
    PyErr_SetString(types.input, error.what());
  } catch (const NumericalError& error) {
    PyErr_SetString(types.numerical, error.what());
  } catch (const BackendUnavailable& error) {
    PyErr_SetString(types.unavailable, error.what());
  } catch (const DeviceError& error) {
    PyErr_SetString(types.device, error.what());
  } catch (const Error& error) {
    PyErr_SetString(types.error, error.what());
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  const auto bases = [](PyObject* first, PyObject* second) {
    return nb::make_tuple(nb::handle(first), nb::handle(second));
  };
  types.error =
      define(module, "Error", "The base of quartic's exceptions.", nb::make_tuple(nb::handle(PyExc_Exception)));
  types.input =
      define(module, "InputError", "Arguments or data that can't be used.", bases(types.error, PyExc_ValueError));
  types.parse = define(module, "ParseError", "A file violates its format, in .filename at line .lineno (0: in none).",
                       nb::make_tuple(nb::handle(types.input)));
  nb::handle(types.parse).attr("filename") = "";
  nb::handle(types.parse).attr("lineno") = 0;
  types.file =
      define(module, "FileError", "A file can't be opened, read or written.", bases(types.input, PyExc_OSError));
  types.numerical = define(module, "NumericalError", "A computation failed: no convergence, an indefinite matrix.",
                           bases(types.error, PyExc_ArithmeticError));
  types.unavailable =
      define(module, "BackendUnavailable", "The backend isn't there.", bases(types.error, PyExc_RuntimeError));
  types.device = define(module, "DeviceError", "The device failed.", bases(types.error, PyExc_RuntimeError));
  nb::register_exception_translator(&translate);
}

}  // namespace quartic::python
