// Binary Gmsh files for the tests of their reader.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>

namespace quartic::test {

/// Puts binary numbers together, in either byte order.
class GmshBytes {
 public:
  explicit GmshBytes(bool swapped) : swapped_(swapped) {}

  GmshBytes& text(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  GmshBytes& ints(std::initializer_list<std::int32_t> values) { return put(values); }
  GmshBytes& sizes(std::initializer_list<std::uint64_t> values) { return put(values); }
  GmshBytes& doubles(std::initializer_list<double> values) { return put(values); }
  [[nodiscard]] const std::string& string() const { return bytes_; }

 private:
  template <class Value>
  GmshBytes& put(std::initializer_list<Value> values) {
    for (const Value value : values) {
      std::array<char, sizeof(Value)> raw{};
      std::memcpy(raw.data(), &value, sizeof value);
      if (swapped_) std::reverse(raw.begin(), raw.end());
      bytes_.append(raw.data(), raw.size());
    }
    return *this;
  }

  bool swapped_;
  std::string bytes_;
};

}  // namespace quartic::test
