#include "io/files/huge_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace quartic::io {

void prefer_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 2U << 20U;
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / page * page;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): aligned within the caller's memory
  if (first < last) (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace quartic::io
