#include "python/arrays/place.hpp"

#include <nanobind/stl/string.h>

#include <optional>

#include "quartic/error.hpp"

namespace quartic::python {
namespace {

constexpr std::int64_t legacy_stream = 1;  // cudaStreamLegacy; cudaStreamPerThread is 2

std::optional<std::int64_t> number_of(nb::handle object) {
  if (!PyLong_Check(object.ptr()) || PyBool_Check(object.ptr())) return std::nullopt;
  std::int64_t number = 0;
  if (!nb::try_cast(object, number) || number < 0) throw InputError("a stream's number can't be negative");
  return number;
}

// (version, handle), by a function or a property.
std::int64_t protocol_handle(const nb::object& protocol) {
  const nb::object pair = PyCallable_Check(protocol.ptr()) != 0 ? protocol() : protocol;
  return nb::cast<std::int64_t>(pair[1]);
}

}  // namespace

void* stream_with_number(std::int64_t number) {
  if (number <= 0)
    throw InputError(std::to_string(number) + " is no stream: 1 is the legacy default stream, 2 that of a thread");
  if (number == legacy_stream) return nullptr;
  return reinterpret_cast<void*>(number);
}

std::int64_t stream_number(const void* stream) {
  return stream == nullptr ? legacy_stream : reinterpret_cast<std::int64_t>(stream);
}

void* stream_of(nb::handle object) {
  if (object.is_none()) return nullptr;
  const auto with_handle = [](std::int64_t handle) { return handle == 0 ? nullptr : stream_with_number(handle); };
  if (const std::optional<std::int64_t> number = number_of(object)) return with_handle(*number);
  if (nb::hasattr(object, "__cuda_stream__")) return with_handle(protocol_handle(object.attr("__cuda_stream__")));
  for (const char* name : {"cuda_stream", "ptr"})
    if (nb::hasattr(object, name)) return with_handle(nb::cast<std::int64_t>(object.attr(name)));
  throw InputError("stream is a " + nb::cast<std::string>(object.type().attr("__name__")) +
                   "; a stream is a number, or an object with __cuda_stream__, cuda_stream (torch) or ptr (CuPy)");
}

bool is_capturing(const Place& place) {
  const CaptureState state = streams().capture_state(place.stream);
  if (state == CaptureState::elsewhere)
    throw InputError(
        "a graph is being captured in another stream, which the legacy default stream (stream=None) would wait for; "
        "give the capturing one: step(..., stream=torch.cuda.current_stream())");
  return state == CaptureState::here;
}

// PyTorch's streams don't wait for the legacy default one, so that CUDA lets it work beside their capture.
void require_no_capture_by_torch() {
  const nb::object torch = nb::steal(PyImport_GetModule(nb::str("torch").ptr()));
  if (!torch.is_valid()) return;
  const nb::object asked =
      nb::getattr(nb::getattr(torch, "cuda", nb::none()), "is_current_stream_capturing", nb::none());
  if (!asked.is_none() && nb::cast<bool>(asked()))
    throw InputError(
        "a graph is being captured in PyTorch's current stream, and this work would go into the legacy default one "
        "(stream=None), not into the graph; give the capturing one: stream=torch.cuda.current_stream()");
}

void come_behind(const Place& place, void* theirs) {
  if (theirs == place.stream || is_capturing(place)) return;
  if (is_capturing({place.device, theirs}))
    throw InputError("a graph is being captured in stream " + std::to_string(stream_number(theirs)) +
                     ", where this array is from, but this work goes into stream " +
                     std::to_string(stream_number(place.stream)) + "; give the capturing one: stream=");
  streams().order(place.device, theirs, place.stream);
}

}  // namespace quartic::python
