// A value that one thread writes and others read without locks: a sequence lock (Boehm 2012).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace quartic {

/// The writer never waits. Readers try again while a write is in progress; they never see half of one.
template <class T>
class LatestValue {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  explicit LatestValue(const T& value) { put(value); }

  /// By one thread at a time.
  void put(const T& value) {
    std::array<std::uint64_t, words> copy = {};
    std::memcpy(copy.data(), &value, sizeof(T));
    const std::uint64_t before = sequence_.load(std::memory_order_relaxed);
    sequence_.store(before + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    for (std::size_t n = 0; n < words; ++n) words_[n].store(copy[n], std::memory_order_relaxed);
    sequence_.store(before + 2, std::memory_order_release);
  }

  [[nodiscard]] T get() const {
    std::array<std::uint64_t, words> copy;
    for (;;) {
      const std::uint64_t before = sequence_.load(std::memory_order_acquire);
      for (std::size_t n = 0; n < words; ++n) copy[n] = words_[n].load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (before % 2 == 0 && sequence_.load(std::memory_order_relaxed) == before) break;
    }
    T value;
    std::memcpy(static_cast<void*>(&value), copy.data(), sizeof(T));
    return value;
  }

 private:
  static constexpr std::size_t words = (sizeof(T) + 7) / 8;
  std::atomic<std::uint64_t> sequence_{0};
  std::array<std::atomic<std::uint64_t>, words> words_ = {};
};

}  // namespace quartic
