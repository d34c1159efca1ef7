// Work that is shared out to processes, where threads can't share it: the sparse factorisation's library keeps state
// outside its objects, so that its calls take turns within one process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace quartic::cli {

/// Numbers that this process and those it forks have in common; zeros at first.
class SharedNumbers {
 public:
  /// @throws std::bad_alloc if there isn't so much memory
  explicit SharedNumbers(std::size_t count);
  ~SharedNumbers();
  SharedNumbers(const SharedNumbers&) = delete;
  SharedNumbers& operator=(const SharedNumbers&) = delete;
  [[nodiscard]] double* data() const { return data_; }

 private:
  double* data_;
  std::size_t bytes_;
};

/// How many of the tasks are done, told by each process.
using TaskCounter = std::atomic<std::int64_t>;

/// Calls work(worker, done) for worker = 0 .. workers-1, each in a process of its own on its share of the machine's
/// threads, and waits. The first exception ends all of them and is thrown here: as NumericalError or, any
/// other kind, as InputError, with its message.
/// @param work   leaves its results in SharedNumbers, and adds 1 to `done` after each task
/// @param watch  called here a few times a second with what `done` is
void run_in_processes(int workers, const std::function<void(int, TaskCounter&)>& work,
                      const std::function<void(std::int64_t)>& watch);

}  // namespace quartic::cli
