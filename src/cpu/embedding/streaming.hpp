// Writing to memory past the caches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace quartic::cpu {

/// Copies `count` numbers, past the caches where the machine can. `finish_streams` must follow on the same thread
/// before others may read.
template <class T>
void stream(const T* from, std::size_t count, T* to) {
#if defined(__x86_64__)
  constexpr std::size_t vector = 16 / sizeof(T);
  const auto misplaced = reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % vector;
  std::size_t done = std::min(count, misplaced == 0 ? 0 : vector - misplaced);
  std::copy_n(from, done, to);
  for (; done + vector <= count; done += vector) {
    __m128i numbers;
    std::memcpy(&numbers, from + done, sizeof numbers);
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + done), numbers);
  }
  std::copy_n(from + done, count - done, to + done);
#else
  std::copy_n(from, count, to);
#endif
}

inline void finish_streams() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace quartic::cpu
