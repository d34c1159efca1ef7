// A glTF 2.0 file (.gltf, .glb) and the numbers in its buffers, through tinygltf. Khronos, glTF 2.0 specification.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "io/text/mesh_format.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#define TINYGLTF_NO_INCLUDE_JSON
#include <nlohmann/json.hpp>
// After JSON.
#include <tiny_gltf.h>

namespace quartic::io {

class GltfFile {
 public:
  /// @throws ParseError for what can't be read, or demands an extension that isn't known here
  explicit GltfFile(const MeshFile& file);

  [[nodiscard]] const tinygltf::Model& model() const { return model_; }
  [[noreturn]] void fail(const std::string& what) const { throw ParseError(name_, 0, what); }
  /// An entry of one of the file's lists.
  template <class Entry>
  [[nodiscard]] const Entry& entry(const std::vector<Entry>& list, int number, const char* what) const {
    if (number < 0 || number >= std::ssize(list))
      fail("there is no " + std::string(what) + " " + std::to_string(number) + ", only " + std::to_string(list.size()) +
           ", counted from 0");
    return list[static_cast<std::size_t>(number)];
  }
  /// The components of an accessor's entries one after the other.
  [[nodiscard]] std::vector<double> numbers(int accessor, int components) const;

 private:
  struct Values;
  [[nodiscard]] Values values(int view, std::size_t offset, std::size_t count, int component_type, int components,
                              const std::string& what) const;
  void set_sparse(std::vector<double>& numbers, const tinygltf::Accessor& accessor, int components,
                  const std::string& what) const;

  std::string name_;
  tinygltf::Model model_;
};

/// Whether integers of that type may count something.
[[nodiscard]] inline bool is_index_type(int component_type) {
  return component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE ||
         component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT ||
         component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT;
}

}  // namespace quartic::io
