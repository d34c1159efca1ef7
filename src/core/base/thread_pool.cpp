#include "core/base/thread_pool.hpp"

#include <pthread.h>

#include <memory>
#include <optional>
#include <system_error>

#include "quartic/backend.hpp"

namespace quartic {
namespace {

// How many forks this process is away from the one that had the first pool.
std::uint64_t forks = 0;

// Constants to begin with: one that its first user makes could be half made at a fork, and never be ready in the child.
// The pool is made under the mutex.
constinit std::mutex pool_mutex;
constinit std::optional<ThreadPool> pool;

// In the new process, before anything else runs in it.
void begin_child() {
  ++forks;
  // Held, perhaps, by a thread that isn't here; destroying it would be undefined.
  std::construct_at(&pool_mutex);
}

[[maybe_unused]] const int watched = pthread_atfork(nullptr, nullptr, begin_child);

}  // namespace

ThreadPool::ThreadPool(int threads) : threads_(threads) {
  start();
}

void ThreadPool::start() {
  const int total = threads_ > 0 ? threads_ : default_thread_count();
  forks_ = forks;
  workers_.reserve(static_cast<std::size_t>(total - 1));
  try {
    for (int i = 1; i < total; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads to be had: those that started, and the caller, do the work.
  }
  // A thread that still starts may hold the allocator's lock, which a fork would copy locked.
  std::unique_lock lock(meeting_.mutex);
  meeting_.done.wait(lock, [this] { return meeting_.started == workers_.size(); });
}

// Forgets threads that aren't in this process. None can be joined or detached, and where they were to meet, one may
// have left the mutex locked, and all of them wait: destructors would end the process, or wait with them.
void ThreadPool::leave_to_parent() {
  for (std::thread& worker : workers_) std::construct_at(&worker);
  workers_.clear();
  std::construct_at(&meeting_);
}

ThreadPool::~ThreadPool() {
  if (forks_ != forks) leave_to_parent();
  {
    const std::lock_guard lock(meeting_.mutex);
    meeting_.stop = true;
  }
  meeting_.wake.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_loop(std::int64_t count, Call call, const void* context) {
  if (count <= 0) return;
  if (count == 1 || workers_.empty()) {
    for (std::int64_t task = 0; task < count; ++task) call(context, task);
    return;
  }
  if (forks_ != forks) {
    leave_to_parent();
    start();
  }
  {
    const std::lock_guard lock(meeting_.mutex);
    call_ = call;
    context_ = context;
    count_ = count;
    next_ = 0;
    error_ = nullptr;
    meeting_.busy = static_cast<int>(workers_.size());
    ++meeting_.generation;
  }
  meeting_.wake.notify_all();
  drain();
  {
    std::unique_lock lock(meeting_.mutex);
    meeting_.done.wait(lock, [this] { return meeting_.busy == 0; });
  }
  if (error_) std::rethrow_exception(error_);
}

void ThreadPool::work() {
  std::uint64_t seen = 0;
  std::unique_lock lock(meeting_.mutex);
  ++meeting_.started;
  meeting_.done.notify_one();
  while (true) {
    meeting_.wake.wait(lock, [&] { return meeting_.stop || meeting_.generation != seen; });
    if (meeting_.stop) return;
    seen = meeting_.generation;
    lock.unlock();
    drain();
    lock.lock();
    if (--meeting_.busy == 0) meeting_.done.notify_one();
  }
}

void ThreadPool::drain() {
  for (std::int64_t task = next_++; task < count_; task = next_++) {
    try {
      call_(context_, task);
    } catch (...) {
      const std::lock_guard lock(meeting_.mutex);
      if (!error_) error_ = std::current_exception();
      next_ = count_;
    }
  }
}

namespace detail {

ThreadPool& shared_pool() {
  return pool ? *pool : pool.emplace();
}

std::mutex& shared_pool_mutex() {
  return pool_mutex;
}

}  // namespace detail
}  // namespace quartic
