// Threads that wait for loops to share. A loop allocates nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace quartic {

/// Runs `body(task)` for task = 0 .. count-1 on the pool's threads and the caller's. Which thread gets which task is
/// open, so results must not depend on it. One loop at a time per pool; the first exception is rethrown.
///
/// A forked process has none of its parent's threads: there, a pool starts its own with the first loop. A loop's body
/// must not fork. Other threads of the parent may be inside loops meanwhile; their pools work in the child, but what
/// those loops worked on is half done there. If another thread was in a dense product, a child that needs one may wait
/// for ever: BLAS has locks of its own.
class ThreadPool {
 public:
  /// @param threads total including the caller; 0 = the hardware's
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int thread_count() const { return static_cast<int>(workers_.size()) + 1; }

  template <class Body>
  void run(std::int64_t count, const Body& body) {
    run_loop(
        count, [](const void* context, std::int64_t task) { (*static_cast<const Body*>(context))(task); }, &body);
  }

 private:
  using Call = void (*)(const void* context, std::int64_t task);
  void start();
  void leave_to_parent();
  void run_loop(std::int64_t count, Call call, const void* context);
  void work();
  void drain();

  // Where the threads meet.
  struct Meeting {
    std::mutex mutex;
    std::condition_variable wake, done;
    std::size_t started = 0;
    std::uint64_t generation = 0;  // of the current loop
    int busy = 0;                  // workers inside it
    bool stop = false;
  };

  int threads_;              // as asked for
  std::uint64_t forks_ = 0;  // when the workers were started
  std::vector<std::thread> workers_;
  Meeting meeting_;
  Call call_ = nullptr;
  const void* context_ = nullptr;
  std::int64_t count_ = 0;
  std::atomic<std::int64_t> next_{0};
  std::exception_ptr error_;
};

namespace detail {
ThreadPool& shared_pool();  // under the mutex
std::mutex& shared_pool_mutex();
}  // namespace detail

/// A loop on the pool that precomputation shares; created on first use. Loops from different caller threads take turns;
/// a body must not start another one.
template <class Body>
void parallel_for(std::int64_t count, const Body& body) {
  const std::lock_guard lock(detail::shared_pool_mutex());
  detail::shared_pool().run(count, body);
}

/// Tasks of at most `size` items that cover 0 .. count-1: body(begin, end), in parallel.
template <class Body>
void parallel_ranges(std::int64_t count, std::int64_t size, const Body& body) {
  parallel_for((count + size - 1) / size,
               [&](std::int64_t task) { body(task * size, std::min(count, (task + 1) * size)); });
}

}  // namespace quartic
