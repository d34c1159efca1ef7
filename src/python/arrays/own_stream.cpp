#include "python/arrays/own_stream.hpp"

#include "quartic/error.hpp"

namespace quartic::python {

OwnStream::OwnStream(int device) : device_(device), stream_(streams().make_stream(device)) {}

void OwnStream::follow(const Place& caller) const {
  if (!is_capturing(caller)) streams().order(device_, caller.stream, stream_.get());
}

void OwnStream::lead(const Place& caller) const {
  if (!is_capturing(caller)) streams().order(device_, stream_.get(), caller.stream);
}

void OwnStream::wait() const noexcept {
  try {
    streams().synchronize(device_, stream_.get());
  } catch (const Error&) {  // of a device that has failed: nothing goes on there
  }
}

}  // namespace quartic::python
