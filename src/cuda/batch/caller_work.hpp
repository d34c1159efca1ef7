// What was started in streams of the caller's, for which calls of the host wait.
#pragma once

#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

class CallerWork {
 public:
  /// After work was started in `stream`. Calls without a stream come after it.
  void note(cudaStream_t stream) {
    check(cudaEventRecord(last_.get(), stream), "record an event");
    was_noted_ = true;
  }
  void wait() const {
    if (was_noted_) check(cudaEventSynchronize(last_.get()), "finish the work of a stream");
  }

 private:
  Event last_;
  bool was_noted_ = false;
};

}  // namespace quartic::cuda
