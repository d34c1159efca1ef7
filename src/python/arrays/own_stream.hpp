// A stream of ours beside those of callers, for what the calls of one object share.
#pragma once

#include <memory>

#include "python/arrays/place.hpp"

namespace quartic::python {

/// Comes behind the work that calls enqueue, each in a stream of its caller's that may be gone later. Memory that is
/// made with its place is freed behind all of it; the stream must outlive it. Work that goes into a graph is left out:
/// whoever launches the graph orders it.
class OwnStream {
 public:
  explicit OwnStream(int device);

  [[nodiscard]] Place place() const { return {device_, stream_.get()}; }
  /// The caller's work so far comes before what this stream gets from now on.
  void follow(const Place& caller) const;
  /// The caller's work from now on comes behind all that this stream has followed.
  void lead(const Place& caller) const;
  /// For all that it has followed.
  void wait() const noexcept;

 private:
  int device_;
  std::shared_ptr<void> stream_;
};

}  // namespace quartic::python
