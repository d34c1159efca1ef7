// Where an array's memory is, and the CUDA stream in whose order it is read and written.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "core/device/device_operations.hpp"

namespace quartic::python {

namespace nb = nanobind;

struct Place {
  int device = -1;         ///< of CUDA; -1: the memory of the CPU
  void* stream = nullptr;  ///< cudaStream_t; null is the legacy default stream

  [[nodiscard]] bool on_device() const { return device >= 0; }
  [[nodiscard]] std::string text() const { return on_device() ? "cuda:" + std::to_string(device) : "cpu"; }
};

/// The stream that somebody passed: None for the legacy default stream, a number as DLPack has it, or an object with
/// `__cuda_stream__`, `cuda_stream` (torch) or `ptr` (CuPy). @throws InputError for anything else
[[nodiscard]] void* stream_of(nb::handle object);

/// The number that DLPack and the CUDA array interface have for a stream, in which 0 stands for none: 1 is the legacy
/// default stream, 2 the default stream of a thread, others are handles.
[[nodiscard]] std::int64_t stream_number(const void* stream);
/// The reverse. @throws InputError for 0 and for what is no stream
[[nodiscard]] void* stream_with_number(std::int64_t number);

/// @throws InputError where the stream can't get work because another one is being captured
[[nodiscard]] bool is_capturing(const Place& place);

/// What nobody gave a stream for goes into the legacy default one, unless that would leave it out of a graph that
/// PyTorch is capturing. Needs the GIL. @throws InputError then
void require_no_capture_by_torch();

/// Work that goes into the place's stream from now on comes behind what `theirs` has by now, but for a place whose
/// stream is being captured. @throws InputError where `theirs` is being captured alone
void come_behind(const Place& place, void* theirs);

[[nodiscard]] inline const StreamOperations& streams() {
  return device_operations().streams;
}

}  // namespace quartic::python
