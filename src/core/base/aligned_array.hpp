// Zeroed memory at 128-byte boundaries: two cache lines, and the widest vector register of any machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace quartic {

inline constexpr std::int64_t array_alignment = 128;  // [bytes]

template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::int64_t size)
      : data_(new (std::align_val_t{array_alignment}) T[static_cast<std::size_t>(size)]()), size_(size) {}

  [[nodiscard]] T* data() const { return data_.get(); }
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  struct Delete {
    void operator()(T* data) const { ::operator delete[](data, std::align_val_t{array_alignment}); }
  };
  std::unique_ptr<T[], Delete> data_;
  std::int64_t size_ = 0;
};

/// The least multiple of the alignment that holds `count` values, in values.
template <class T>
[[nodiscard]] constexpr std::int64_t padded(std::int64_t count) {
  constexpr auto step = array_alignment / static_cast<std::int64_t>(sizeof(T));
  return (count + step - 1) / step * step;
}

}  // namespace quartic
