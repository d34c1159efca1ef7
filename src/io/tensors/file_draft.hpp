// Tensors and metadata on their way into a safetensors file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/tensors/safetensors.hpp"

namespace quartic::io {

class FileDraft {
 public:
  /// Values that stay where they are until the file is written.
  template <class T>
  void add(std::string name, std::vector<std::int64_t> shape, const std::vector<T>& values) {
    tensors_.push_back(tensor_view(std::move(name), std::move(shape), values));
  }
  template <class T>
  void add(std::string name, std::vector<std::int64_t> shape, const std::vector<T>&& values) = delete;

  /// Values that were computed for the file alone.
  template <class T>
  void add_computed(std::string name, std::vector<std::int64_t> shape, std::vector<T> values) {
    const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    kept_.push_back(kept);
    add(std::move(name), std::move(shape), *kept);
  }

  /// Bytes of any dtype, which stay where they are until the file is written.
  void add(TensorView tensor) { tensors_.push_back(std::move(tensor)); }

  /// Of what has been added so far.
  [[nodiscard]] std::uint64_t data_hash() const { return io::data_hash(tensors_); }

  std::map<std::string, std::string> metadata;

  /// @throws FileError
  void write(const std::filesystem::path& path) const { write_safetensors(path, tensors_, metadata); }

 private:
  std::vector<TensorView> tensors_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace quartic::io
