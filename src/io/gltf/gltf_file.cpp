#define TINYGLTF_IMPLEMENTATION
#include "io/gltf/gltf_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <new>

namespace quartic::io {

/// Numbers in a buffer, whose bytes were checked to be there.
struct GltfFile::Values {
  const unsigned char* first;
  std::size_t count, stride, component_bytes;
  int component_type;

  [[nodiscard]] double at(std::size_t i, std::size_t component) const {
    const unsigned char* bytes = first + i * stride + component * component_bytes;
    const auto number = [bytes]<class Number>(Number value) {
      std::memcpy(&value, bytes, sizeof value);
      return static_cast<double>(value);
    };
    switch (component_type) {
      case TINYGLTF_COMPONENT_TYPE_BYTE:
        return number(std::int8_t{});
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
        return number(std::uint8_t{});
      case TINYGLTF_COMPONENT_TYPE_SHORT:
        return number(std::int16_t{});
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
        return number(std::uint16_t{});
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
        return number(std::uint32_t{});
      default:
        return number(float{});
    }
  }
};

namespace {

/// What an integer stands for where accessors are normalised is divided by this. (Specification, 3.11; its float is
/// max(c / 127, -1) of a signed byte.)
double normalisation(int component_type) {
  switch (component_type) {
    case TINYGLTF_COMPONENT_TYPE_BYTE:
      return 127;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return 255;
    case TINYGLTF_COMPONENT_TYPE_SHORT:
      return 32767;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return 65535;
    default:
      return 1;
  }
}

// tinygltf takes a level of its stack for each.
void require_shallow(const MeshFile& file) {
  constexpr int deepest = 200;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < file.content.size(); ++i) {
    const char c = file.content[i];
    if (in_text && c == '\\') ++i;
    if (c == '"') in_text = !in_text;
    if (!in_text && (c == '[' || c == '{') && ++depth > deepest)
      throw ParseError(file.path.string(), 0, "JSON is nested more than " + std::to_string(deepest) + " deep");
    if (!in_text && (c == ']' || c == '}')) --depth;
  }
}

/// For files that a scene names: no pipes, no devices.
bool read_whole_file(std::vector<unsigned char>* bytes, std::string* error, const std::string& path, void*) {
  try {
    const std::string content = read_file(path);
    bytes->assign(content.begin(), content.end());
    return true;
  } catch (const FileError& exception) {
    *error = exception.what();
    return false;
  }
}

}  // namespace

GltfFile::GltfFile(const MeshFile& file) : name_(file.path.string()) {
  tinygltf::TinyGLTF loader;
  loader.SetImageLoader([](tinygltf::Image*, int, std::string*, std::string*, int, int, const unsigned char*, int,
                           void*) { return true; },
                        nullptr);  // pictures aren't read
  loader.SetFsCallbacks(
      {&tinygltf::FileExists, &tinygltf::ExpandFilePath, &read_whole_file, &tinygltf::WriteWholeFile, nullptr});
  if (!file.content.starts_with("glTF")) require_shallow(file);
  std::string error, warning;
  const std::string folder = file.path.parent_path().string();
  if (file.content.size() > std::numeric_limits<unsigned>::max())
    throw ParseError(file.path.string(), 0, "a glTF file of more than 4 GiB can't be read");
  const auto size = static_cast<unsigned>(file.content.size());
  bool read = false;
  try {
    read = file.content.starts_with("glTF")
               ? loader.LoadBinaryFromMemory(&model_, &error, &warning,
                                             reinterpret_cast<const unsigned char*>(file.content.data()), size, folder)
               : loader.LoadASCIIFromString(&model_, &error, &warning, file.content.data(), size, folder);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {  // of JSON, or of a list that tinygltf expected to be longer
    error = exception.what();
  }
  if (!read) throw ParseError(file.path.string(), 0, "this glTF file can't be read: " + std::string(trimmed(error)));
  // Materials, textures and lights don't matter here; quantisation is read; all else may move, repeat or pack vertices.
  for (const std::string& extension : model_.extensionsRequired)
    if (!extension.starts_with("KHR_materials_") && !extension.starts_with("KHR_texture_") &&
        !extension.starts_with("KHR_lights_") && extension != "KHR_mesh_quantization")
      throw ParseError(file.path.string(), 0,
                       "the file demands the extension " + quote(extension) +
                           ", which can't be read; save it without compression and instances");
}

/// The components of an accessor's entries one after the other.
std::vector<double> GltfFile::numbers(int number, int components) const {
  const tinygltf::Accessor& accessor = entry(model_.accessors, number, "accessor");
  const std::string what = "accessor " + std::to_string(number);
  const int type = accessor.componentType;
  if (tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor.type)) != components)
    fail(what + " should have " + std::to_string(components) + " components");
  const auto width = static_cast<std::size_t>(components);
  std::vector<double> numbers;
  if (accessor.bufferView >= 0) {
    const Values stored = values(accessor.bufferView, accessor.byteOffset, accessor.count, type, components, what);
    numbers.reserve(width * stored.count);
    for (std::size_t i = 0; i < stored.count; ++i)
      for (std::size_t c = 0; c < width; ++c) numbers.push_back(stored.at(i, c));
  } else {  // zeros, all of which a few bytes can claim
    std::size_t bytes = 0;
    for (const tinygltf::Buffer& buffer : model_.buffers) bytes += buffer.data.size();
    if (!accessor.sparse.isSparse || accessor.count > bytes)
      fail(what + " has " + std::to_string(accessor.count) + " entries, but no buffer view that holds them");
    numbers.resize(width * accessor.count);
  }
  if (accessor.sparse.isSparse) set_sparse(numbers, accessor, components, what);
  if (accessor.normalized && normalisation(type) != 1)
    for (double& x : numbers) x = std::max(x / normalisation(type), -1.0);
  return numbers;
}

/// Replaces the entries that a sparse accessor has values of its own for.
void GltfFile::set_sparse(std::vector<double>& numbers, const tinygltf::Accessor& accessor, int components,
                          const std::string& what) const {
  const auto& sparse = accessor.sparse;
  if (sparse.count < 0 || sparse.indices.byteOffset < 0 || sparse.values.byteOffset < 0 ||
      !is_index_type(sparse.indices.componentType))
    fail(what + " has sparse entries whose indices have a type, a count or an offset that glTF doesn't have");
  const auto count = static_cast<std::size_t>(sparse.count), width = static_cast<std::size_t>(components);
  const Values places = values(sparse.indices.bufferView, static_cast<std::size_t>(sparse.indices.byteOffset), count,
                               sparse.indices.componentType, 1, what);
  const Values entries = values(sparse.values.bufferView, static_cast<std::size_t>(sparse.values.byteOffset), count,
                                accessor.componentType, components, what);
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(places.at(i, 0));
    if (place >= accessor.count)
      fail(what + " has a sparse entry " + std::to_string(place) + ", but only " + std::to_string(accessor.count) +
           " entries, counted from 0");
    for (std::size_t c = 0; c < width; ++c) numbers[width * place + c] = entries.at(i, c);
  }
}

GltfFile::Values GltfFile::values(int view_number, std::size_t offset, std::size_t count, int component_type,
                                  int components, const std::string& what) const {
  const tinygltf::BufferView& view = entry(model_.bufferViews, view_number, "buffer view");
  const std::vector<unsigned char>& bytes = entry(model_.buffers, view.buffer, "buffer").data;
  if (!is_index_type(component_type) && component_type != TINYGLTF_COMPONENT_TYPE_BYTE &&
      component_type != TINYGLTF_COMPONENT_TYPE_SHORT && component_type != TINYGLTF_COMPONENT_TYPE_FLOAT)
    fail(what + " has components of a type that glTF doesn't have");
  const auto component_bytes =
      static_cast<std::size_t>(tinygltf::GetComponentSizeInBytes(static_cast<std::uint32_t>(component_type)));
  const std::size_t size = component_bytes * static_cast<std::size_t>(components);
  const std::size_t stride = view.byteStride > 0 ? view.byteStride : size;
  // Each number alone is below the buffer's size, so that nothing overflows.
  const bool view_fits = view.byteOffset <= bytes.size() && view.byteLength <= bytes.size() - view.byteOffset;
  const std::size_t limit = view_fits ? view.byteLength : 0;
  const bool fits = view_fits && stride >= size && offset <= limit && count <= limit &&
                    stride <= std::max(limit, size) &&
                    (count == 0 || (limit - offset >= size && count - 1 <= (limit - offset - size) / stride));
  if (!fits) fail(what + " doesn't fit into its buffer view, or that into its buffer (is the file cut short?)");
  return {bytes.data() + view.byteOffset + offset, count, stride, component_bytes, component_type};
}

}  // namespace quartic::io
