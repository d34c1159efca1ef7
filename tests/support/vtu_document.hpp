// A .vtu file as a test sees it: its text, and its raw arrays by name. Knows just what quartic writes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quartic::test {

class VtuDocument {
 public:
  explicit VtuDocument(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    const std::string begin = "<AppendedData encoding=\"raw\">\n   _", end = "\n  </AppendedData>\n</VTKFile>\n";
    const auto at = content.find(begin);
    if (at == std::string::npos || !content.ends_with(end)) {
      ADD_FAILURE() << path << " has no raw data";
      return;
    }
    text = content.substr(0, at);
    data_ = content.substr(at + begin.size(), content.size() - end.size() - at - begin.size());
    find_arrays();
  }

  /// An attribute of the first element that begins with `<tag`, as it stands in the file.
  [[nodiscard]] std::string attribute(const std::string& tag, const std::string& name) const {
    return attribute_of(std::string_view(text).substr(text.find("<" + tag)), name);
  }
  [[nodiscard]] bool has(const std::string& name) const { return arrays_.contains(name); }
  [[nodiscard]] std::string type(const std::string& name) const { return arrays_.at(name).type; }
  [[nodiscard]] std::string components(const std::string& name) const { return arrays_.at(name).components; }

  template <class T>
  [[nodiscard]] std::vector<T> values(const std::string& name) const {
    const Array& array = arrays_.at(name);
    std::vector<T> numbers(array.bytes / sizeof(T));
    EXPECT_EQ(numbers.size() * sizeof(T), array.bytes) << name;
    std::memcpy(numbers.data(), data_.data() + array.begin, array.bytes);
    return numbers;
  }

  std::string text;

 private:
  struct Array {
    std::string type, components;
    std::size_t begin = 0, bytes = 0;
  };

  static std::string attribute_of(std::string_view element, const std::string& name) {
    element = element.substr(0, element.find('>'));
    const auto at = element.find(" " + name + "=\"");
    if (at == std::string_view::npos) return "";
    const auto value = element.substr(at + name.size() + 3);
    return std::string(value.substr(0, value.find('"')));
  }

  // The arrays fill the data: each begins where the one before ends.
  void find_arrays() {
    std::size_t expected = 0;
    for (auto at = text.find("<DataArray"); at != std::string::npos; at = text.find("<DataArray", at + 1)) {
      const auto element = std::string_view(text).substr(at);
      if (attribute_of(element, "format") != "appended") continue;
      const std::size_t offset = std::stoull(attribute_of(element, "offset"));
      ASSERT_EQ(offset, expected);
      ASSERT_LE(offset + 8, data_.size());
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, data_.data() + offset, sizeof(bytes));
      expected = offset + 8 + bytes;
      ASSERT_LE(expected, data_.size());
      arrays_[attribute_of(element, "Name")] = {attribute_of(element, "type"),
                                                attribute_of(element, "NumberOfComponents"), offset + 8, bytes};
    }
    EXPECT_EQ(expected, data_.size());
  }

  std::string data_;
  std::map<std::string, Array> arrays_;
};

}  // namespace quartic::test
