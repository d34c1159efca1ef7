// The threads of a block as fibers of one thread of the host: they take turns where they wait for each other.
#pragma once

#include <cstddef>
#include <functional>

namespace cuda_on_host {

/// Runs `body(n)` for n = 0 .. count - 1, each on a stack of its own.
void run_fibers(unsigned count, const std::function<void(unsigned)>& body);

/// Lets the others go on. To be called from within a body.
void yield();

/// A point that all members reach before any goes on. Those that have left no longer count.
class Meeting {
 public:
  explicit Meeting(int members) : members_(members) {}
  void wait();
  void leave();
  /// True for all if it is for one.
  bool any(bool predicate);

 private:
  void open();

  int members_, arrived_ = 0;
  unsigned generation_ = 0;
  bool vote_ = false, result_ = false;
};

}  // namespace cuda_on_host
