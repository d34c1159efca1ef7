#include "core/base/thread_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <system_error>

#include "quartic/backend.hpp"

namespace quartic {

ThreadPool::ThreadPool(int threads) {
  const int total = threads > 0 ? threads : default_thread_count();
  workers_.reserve(static_cast<std::size_t>(total - 1));
  try {
    for (int i = 1; i < total; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads to be had: those that started, and the caller, do the work.
  }
  // A thread that still starts may hold the allocator's lock, which a fork would copy locked.
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return started_ == workers_.size(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_loop(std::int64_t count, Call call, const void* context) {
  if (count <= 0) return;
  if (count == 1 || workers_.empty()) {
    for (std::int64_t task = 0; task < count; ++task) call(context, task);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    call_ = call;
    context_ = context;
    count_ = count;
    next_ = 0;
    error_ = nullptr;
    busy_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  wake_.notify_all();
  drain();
  {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }
  if (error_) std::rethrow_exception(error_);
}

void ThreadPool::work() {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  ++started_;
  done_.notify_one();
  while (true) {
    wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
    if (stop_) return;
    seen = generation_;
    lock.unlock();
    drain();
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void ThreadPool::drain() {
  for (std::int64_t task = next_++; task < count_; task = next_++) {
    try {
      call_(context_, task);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_ = count_;
    }
  }
}

namespace detail {

namespace {

// A forked process has none of the pool's threads: there is nothing to join, and the memory is left alone.
class ProcessPool {
 public:
  ~ProcessPool() { leave_to_owner(); }
  ThreadPool& get() {
    leave_to_owner();
    if (!pool_) {
      pool_ = std::make_unique<ThreadPool>();
      owner_ = getpid();
    }
    return *pool_;
  }

 private:
  void leave_to_owner() {
    if (pool_ && owner_ != getpid()) static_cast<void>(pool_.release());
  }

  std::unique_ptr<ThreadPool> pool_;
  pid_t owner_ = 0;
};

}  // namespace

ThreadPool& shared_pool() {
  static ProcessPool pool;
  return pool.get();
}

std::mutex& shared_pool_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace detail
}  // namespace quartic
