// The safetensors container: an 8-byte header length, a JSON header, raw little-endian tensors.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/text/half.hpp"

namespace quartic::io {

static_assert(std::endian::native == std::endian::little, "tensors are copied as they lie in memory");

/// Bytes per element of a dtype ("F64", "I32", ...); 0 for a name that the format doesn't have.
[[nodiscard]] std::size_t dtype_bytes(std::string_view dtype);

template <class T>
inline constexpr std::string_view dtype_of = "";
template <>
inline constexpr std::string_view dtype_of<double> = "F64";
template <>
inline constexpr std::string_view dtype_of<float> = "F32";
template <>
inline constexpr std::string_view dtype_of<Half> = "F16";
template <>
inline constexpr std::string_view dtype_of<std::int32_t> = "I32";
template <>
inline constexpr std::string_view dtype_of<std::int64_t> = "I64";

/// A tensor to write; the bytes belong to the caller.
struct TensorView {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;
};

template <class T>
[[nodiscard]] TensorView tensor_view(std::string name, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  return {std::move(name), std::string(dtype_of<T>), std::move(shape), std::as_bytes(std::span(values))};
}

/// Writes a file (to a temporary name, then renamed). The header lists the tensors in the given order; the data lie in
/// order of descending element size, so that every tensor is aligned.
/// @throws FileError
void write_safetensors(const std::filesystem::path& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata);

/// FNV-1a of these tensors' data as they lie in a file, for a note in the metadata: the format has no checksum.
[[nodiscard]] std::uint64_t data_hash(const std::vector<TensorView>& tensors);

/// A file in memory, checked: every tensor lies in the file, none overlaps another, and sizes agree with shapes.
class SafetensorsFile {
 public:
  /// @throws FileError, ParseError
  explicit SafetensorsFile(const std::filesystem::path& path);

  struct Tensor {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::size_t begin = 0, end = 0;  // in the file
  };

  [[nodiscard]] const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// @throws ParseError if the metadata lack this entry
  [[nodiscard]] const std::string& metadata_entry(const std::string& key) const;
  [[nodiscard]] const Tensor* find(const std::string& name) const;
  [[nodiscard]] std::span<const std::byte> data(const Tensor& tensor) const;
  /// Of all tensors, as the function of the same name.
  [[nodiscard]] std::uint64_t data_hash() const;

  /// The values of a tensor, which must have the dtype of T and `rank` dimensions. @throws ParseError that names the
  /// tensor
  template <class T>
  [[nodiscard]] std::vector<T> stored_values(const std::string& name, std::size_t rank) const {
    const Tensor& tensor = require(name, dtype_of<T>, rank);
    std::vector<T> result((tensor.end - tensor.begin) / sizeof(T));
    if (!result.empty()) std::memcpy(result.data(), content_.data() + tensor.begin, tensor.end - tensor.begin);
    return result;
  }
  /// The same; floating-point values must be finite.
  template <class T>
  [[nodiscard]] std::vector<T> values(const std::string& name, std::size_t rank) const {
    std::vector<T> result = stored_values<T>(name, rank);
    if constexpr (std::is_floating_point_v<T>) {
      const auto bad = std::find_if(result.begin(), result.end(), [](T x) { return !std::isfinite(x); });
      if (bad != result.end()) fail_not_finite(name, bad - result.begin());
    }
    return result;
  }
  /// The size of one dimension of a tensor that is there.
  [[nodiscard]] std::int64_t size(const std::string& name, std::size_t dimension) const;
  /// @throws ParseError unless that dimension has this size
  void require_size(const std::string& name, std::size_t dimension, std::int64_t wanted) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  void read_header(std::string_view header);
  void check_layout() const;
  [[nodiscard]] const Tensor& require(const std::string& name, std::string_view dtype, std::size_t rank) const;
  [[noreturn]] void fail_not_finite(const std::string& name, std::int64_t place) const;

  std::string name_;
  std::string content_;
  std::size_t data_begin_ = 0;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace quartic::io
