#include "fibers.hpp"

#include <ucontext.h>

#include <array>
#include <memory>

// The sanitizers are told of each change of stacks. ThreadSanitizer sees fibers as threads, which only a meeting
// orders.
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace cuda_on_host {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;

struct Fiber {
  ucontext_t context = {};
  std::unique_ptr<std::byte[]> stack;  // none for the host's own thread
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  std::size_t size = 0;
  void* thread = nullptr;  // ThreadSanitizer's
  bool finished = false;
};

Fiber host;
std::array<Fiber, 1024> fibers;  // as many as a block has threads
std::size_t current = 0;
const std::function<void(unsigned)>* current_body = nullptr;

// For ThreadSanitizer: what came before `release` is before what comes behind `acquire`.
void release(void* where) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(where);
#else
  static_cast<void>(where);
#endif
}
void acquire(void* where) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(where);
#else
  static_cast<void>(where);
#endif
}

[[gnu::no_sanitize("thread")]] void switch_to(Fiber& from, Fiber& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.size);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.thread, __tsan_switch_to_fiber_no_sync);
#endif
  swapcontext(&from.context, &to.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

// A fiber's whole life: one body after the other.
[[gnu::no_sanitize("thread")]] void live() {
#if defined(__SANITIZE_ADDRESS__)
  const bool is_first = host.bottom == nullptr;
  __sanitizer_finish_switch_fiber(nullptr, is_first ? &host.bottom : nullptr, is_first ? &host.size : nullptr);
#endif
  for (;;) {
    acquire(&host);
    (*current_body)(static_cast<unsigned>(current));
    release(&host);
    fibers[current].finished = true;
    switch_to(fibers[current], host);
  }
}

void make(Fiber& fiber) {
  fiber.stack = std::make_unique<std::byte[]>(stack_bytes);
  fiber.bottom = fiber.stack.get();
  fiber.size = stack_bytes;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = stack_bytes;
  makecontext(&fiber.context, live, 0);
#if defined(__SANITIZE_THREAD__)
  fiber.thread = __tsan_create_fiber(0);
#endif
}

}  // namespace

[[gnu::no_sanitize("thread")]] void run_fibers(unsigned count, const std::function<void(unsigned)>& body) {
  for (unsigned n = 0; n < count; ++n)
    if (fibers[n].stack == nullptr) make(fibers[n]);
  current_body = &body;
#if defined(__SANITIZE_THREAD__)
  host.thread = __tsan_get_current_fiber();
#endif
  for (unsigned n = 0; n < count; ++n) fibers[n].finished = false;
  release(&host);
  for (bool busy = true; busy;) {
    busy = false;
    for (current = 0; current < count; ++current)
      if (!fibers[current].finished) {
        switch_to(host, fibers[current]);
        busy = true;
      }
  }
  acquire(&host);
}

[[gnu::no_sanitize("thread")]] void yield() {
  switch_to(fibers[current], host);
}

[[gnu::no_sanitize("thread")]] void Meeting::open() {
  arrived_ = 0;
  result_ = vote_;
  vote_ = false;
  ++generation_;
}

[[gnu::no_sanitize("thread")]] void Meeting::wait() {
  release(this);
  const unsigned generation = generation_;
  if (++arrived_ == members_) open();
  while (generation_ == generation) yield();
  acquire(this);
}

[[gnu::no_sanitize("thread")]] void Meeting::leave() {
  --members_;
  if (members_ > 0 && arrived_ == members_) open();
}

[[gnu::no_sanitize("thread")]] bool Meeting::any(bool predicate) {
  vote_ = vote_ || predicate;
  wait();
  return result_;
}

}  // namespace cuda_on_host
