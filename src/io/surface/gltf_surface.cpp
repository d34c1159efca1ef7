// Triangles of glTF 2.0 scenes (.gltf, .glb), through tinygltf. Khronos, glTF 2.0 specification.
#define TINYGLTF_IMPLEMENTATION
#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#define TINYGLTF_NO_INCLUDE_JSON
#include <nlohmann/json.hpp>
// After JSON.
#include <tiny_gltf.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/surface/surface_formats.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

bool is_text_gltf(std::string_view content) {
  return trimmed(content.substr(0, 1024)).starts_with('{') && content.find("\"asset\"") != std::string_view::npos &&
         content.find("\"meshes\"") != std::string_view::npos;
}

bool recognises_gltf(const MeshFile& file) {
  return file.content.starts_with("glTF") || is_text_gltf(file.content);
}

/// Numbers in a buffer, whose bytes were checked to be there.
struct Values {
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

bool is_index_type(int component_type) {
  return component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE ||
         component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT ||
         component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT;
}

constexpr std::int64_t most_in_scene = 200'000'000;  // vertices, and triangles

/// Collects the triangles of all meshes where the nodes of the scene and the weights of morph targets put them.
class GltfReader {
 public:
  GltfReader(const MeshFile& file, const tinygltf::Model& gltf) : name_(file.path.string()), gltf_(gltf) {}

  TriangleMesh read() {
    if (gltf_.scenes.empty()) {  // then the file only holds things for others to use
      for (const tinygltf::Mesh& mesh : gltf_.meshes) add_mesh(mesh, mesh.weights, Eigen::Affine3d::Identity());
    } else {
      for (const int node : scene().nodes) add_node(node, Eigen::Affine3d::Identity());
    }
    if (other_primitives_ > 0)
      mesh_.warnings.push_back(std::to_string(other_primitives_) + " primitives of points and lines were skipped");
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ParseError(name_, 0, what); }
  /// An entry of one of the file's lists.
  template <class Entry>
  const Entry& entry(const std::vector<Entry>& list, int number, const char* what) const {
    if (number < 0 || number >= std::ssize(list))
      fail("there is no " + std::string(what) + " " + std::to_string(number) + ", only " + std::to_string(list.size()) +
           ", counted from 0");
    return list[static_cast<std::size_t>(number)];
  }
  const tinygltf::Scene& scene() const { return entry(gltf_.scenes, std::max(gltf_.defaultScene, 0), "scene"); }

  void add_node(int number, const Eigen::Affine3d& parent, int depth = 0);
  void add_mesh(const tinygltf::Mesh& mesh, const std::vector<double>& weights, const Eigen::Affine3d& placement);
  void add_primitive(const tinygltf::Primitive& primitive, const std::vector<double>& weights,
                     const Eigen::Affine3d& placement);
  std::vector<double> morphed_positions(const tinygltf::Primitive& primitive, const std::vector<double>& weights) const;
  std::vector<std::int64_t> corners(const tinygltf::Primitive& primitive, std::size_t vertices) const;
  std::vector<double> numbers(int accessor, int components) const;
  Values values(int view, std::size_t offset, std::size_t count, int component_type, int components,
                const std::string& what) const;
  void set_sparse(std::vector<double>& numbers, const tinygltf::Accessor& accessor, int components,
                  const std::string& what) const;

  std::string name_;
  const tinygltf::Model& gltf_;
  std::set<int> seen_;  // nodes
  std::int64_t other_primitives_ = 0;
  TriangleMesh mesh_;
};

Eigen::Affine3d transform_of(const tinygltf::Node& node) {
  Eigen::Affine3d transform = Eigen::Affine3d::Identity();
  if (node.matrix.size() == 16) {
    transform.matrix() = Eigen::Map<const Eigen::Matrix4d>(node.matrix.data());
    return transform;
  }
  if (node.translation.size() == 3) transform.translate(Eigen::Map<const Eigen::Vector3d>(node.translation.data()));
  if (node.rotation.size() == 4)
    transform.rotate(
        Eigen::Quaterniond(node.rotation[3], node.rotation[0], node.rotation[1], node.rotation[2]).normalized());
  if (node.scale.size() == 3) transform.scale(Eigen::Vector3d(Eigen::Map<const Eigen::Vector3d>(node.scale.data())));
  return transform;
}

// The specification makes nodes a forest; what isn't one would never end.
void GltfReader::add_node(int number, const Eigen::Affine3d& parent, int depth) {
  if (!seen_.insert(number).second) fail("node " + std::to_string(number) + " has two parents");
  constexpr int deepest = 1000;
  if (depth > deepest) fail("nodes are nested more than " + std::to_string(deepest) + " deep");
  const tinygltf::Node& node = entry(gltf_.nodes, number, "node");
  const Eigen::Affine3d placement = parent * transform_of(node);
  if (node.mesh >= 0) {
    const tinygltf::Mesh& mesh = entry(gltf_.meshes, node.mesh, "mesh");
    add_mesh(mesh, node.weights.empty() ? mesh.weights : node.weights, placement);
  }
  for (const int child : node.children) add_node(child, placement, depth + 1);
}

void GltfReader::add_mesh(const tinygltf::Mesh& mesh, const std::vector<double>& weights,
                          const Eigen::Affine3d& placement) {
  for (const tinygltf::Primitive& primitive : mesh.primitives) {
    if (primitive.mode < TINYGLTF_MODE_POINTS || primitive.mode > TINYGLTF_MODE_TRIANGLE_FAN)
      fail("a primitive is of mode " + std::to_string(primitive.mode) + ", which glTF doesn't have");
    if (primitive.mode < TINYGLTF_MODE_TRIANGLES) {
      ++other_primitives_;
    } else {
      add_primitive(primitive, weights, placement);
    }
  }
}

/// The components of an accessor's entries one after the other.
std::vector<double> GltfReader::numbers(int number, int components) const {
  const tinygltf::Accessor& accessor = entry(gltf_.accessors, number, "accessor");
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
    for (const tinygltf::Buffer& buffer : gltf_.buffers) bytes += buffer.data.size();
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
void GltfReader::set_sparse(std::vector<double>& numbers, const tinygltf::Accessor& accessor, int components,
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

Values GltfReader::values(int view_number, std::size_t offset, std::size_t count, int component_type, int components,
                          const std::string& what) const {
  const tinygltf::BufferView& view = entry(gltf_.bufferViews, view_number, "buffer view");
  const std::vector<unsigned char>& bytes = entry(gltf_.buffers, view.buffer, "buffer").data;
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

/// The vertices in the order in which the primitive uses them.
std::vector<std::int64_t> GltfReader::corners(const tinygltf::Primitive& primitive, std::size_t vertices) const {
  std::vector<std::int64_t> order;
  if (primitive.indices < 0) {
    for (std::size_t v = 0; v < vertices; ++v) order.push_back(static_cast<std::int64_t>(v));
    return order;
  }
  const tinygltf::Accessor& accessor = entry(gltf_.accessors, primitive.indices, "accessor");
  if (!is_index_type(accessor.componentType) || accessor.normalized)
    fail("indices are of a type that glTF doesn't have");
  const std::vector<double> indices = numbers(primitive.indices, 1);
  order.reserve(indices.size());
  for (const double index : indices) {
    const auto vertex = static_cast<std::int64_t>(index);
    if (vertex < 0 || vertex >= static_cast<std::int64_t>(vertices))
      fail("a triangle has vertex " + std::to_string(vertex) + ", but its primitive has only " +
           std::to_string(vertices) + ", counted from 0");
    order.push_back(vertex);
  }
  return order;
}

/// With the morph targets by their weights: where the mesh is before any animation moves it.
std::vector<double> GltfReader::morphed_positions(const tinygltf::Primitive& primitive,
                                                  const std::vector<double>& weights) const {
  const auto of = [&](const std::map<std::string, int>& attributes) {
    const int accessor = attributes.at("POSITION");
    if (entry(gltf_.accessors, accessor, "accessor").componentType == TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT)
      fail("positions should be floats, or integers of 8 or 16 bits");
    return numbers(accessor, 3);
  };
  if (!primitive.attributes.contains("POSITION")) fail("a primitive has no positions");
  std::vector<double> positions = of(primitive.attributes);
  for (std::size_t t = 0; t < std::min(weights.size(), primitive.targets.size()); ++t) {
    if (weights[t] == 0 || !primitive.targets[t].contains("POSITION")) continue;
    const std::vector<double> target = of(primitive.targets[t]);
    if (target.size() != positions.size()) fail("a morph target has another number of vertices than its primitive");
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] += weights[t] * target[i];
  }
  return positions;
}

void GltfReader::add_primitive(const tinygltf::Primitive& primitive, const std::vector<double>& weights,
                               const Eigen::Affine3d& placement) {
  if (primitive.extensions.contains("KHR_draco_mesh_compression"))
    fail("the mesh is compressed by Draco; `gltf-transform copy` or a viewer saves it without");
  const std::vector<double> positions = morphed_positions(primitive, weights);
  const std::size_t vertices = positions.size() / 3;
  const std::int64_t first = mesh_.vertex_count();
  // Nodes may show one mesh many times.
  if (static_cast<std::int64_t>(vertices) > most_in_scene - first)
    fail("the scene has more than " + std::to_string(most_in_scene) + " vertices");
  for (std::size_t v = 0; v < vertices; ++v) {
    const Eigen::Vector3d x = placement * Eigen::Vector3d(Eigen::Map<const Eigen::Vector3d>(&positions[3 * v]));
    if (!x.allFinite()) fail("a position of vertex " + std::to_string(v) + " of a primitive isn't a finite number");
    mesh_.vertices.insert(mesh_.vertices.end(), x.begin(), x.end());
  }
  const std::vector<std::int64_t> order = corners(primitive, vertices);
  if (std::ssize(order) > most_in_scene - mesh_.triangle_count())
    fail("the scene has more than " + std::to_string(most_in_scene) + " triangles");
  const bool mirrored = placement.linear().determinant() < 0;  // then triangles run the other way
  const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
    if (mirrored) std::swap(b, c);
    for (const std::size_t i : {a, b, c}) mesh_.triangles.push_back(static_cast<std::int32_t>(first + order[i]));
  };
  const std::size_t step =
      primitive.mode == TINYGLTF_MODE_TRIANGLE_STRIP || primitive.mode == TINYGLTF_MODE_TRIANGLE_FAN ? 1 : 3;
  for (std::size_t i = 0; i + 2 < order.size(); i += step) {
    if (primitive.mode == TINYGLTF_MODE_TRIANGLE_FAN) {
      add(i + 1, i + 2, 0);
    } else if (step == 1 && i % 2 == 1) {
      add(i, i + 2, i + 1);  // every other triangle of a strip runs the other way
    } else {
      add(i, i + 1, i + 2);
    }
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

TriangleMesh read_gltf(const MeshFile& file) {
  tinygltf::TinyGLTF loader;
  loader.SetImageLoader([](tinygltf::Image*, int, std::string*, std::string*, int, int, const unsigned char*, int,
                           void*) { return true; },
                        nullptr);  // pictures aren't read
  loader.SetFsCallbacks(
      {&tinygltf::FileExists, &tinygltf::ExpandFilePath, &read_whole_file, &tinygltf::WriteWholeFile, nullptr});
  if (!file.content.starts_with("glTF")) require_shallow(file);
  tinygltf::Model gltf;
  std::string error, warning;
  const std::string folder = file.path.parent_path().string();
  if (file.content.size() > std::numeric_limits<unsigned>::max())
    throw ParseError(file.path.string(), 0, "a glTF file of more than 4 GiB can't be read");
  const auto size = static_cast<unsigned>(file.content.size());
  bool read = false;
  try {
    read = file.content.starts_with("glTF")
               ? loader.LoadBinaryFromMemory(&gltf, &error, &warning,
                                             reinterpret_cast<const unsigned char*>(file.content.data()), size, folder)
               : loader.LoadASCIIFromString(&gltf, &error, &warning, file.content.data(), size, folder);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {  // of JSON, or of a list that tinygltf expected to be longer
    error = exception.what();
  }
  if (!read) throw ParseError(file.path.string(), 0, "this glTF file can't be read: " + std::string(trimmed(error)));
  // Materials, textures and lights don't matter here; quantisation is read; all else may move, repeat or pack vertices.
  for (const std::string& extension : gltf.extensionsRequired)
    if (!extension.starts_with("KHR_materials_") && !extension.starts_with("KHR_texture_") &&
        !extension.starts_with("KHR_lights_") && extension != "KHR_mesh_quantization")
      throw ParseError(file.path.string(), 0,
                       "the file demands the extension " + quote(extension) +
                           ", which can't be read; save it without compression and instances");
  return GltfReader(file, gltf).read();
}

}  // namespace

const SurfaceFormat gltf_format = {"glTF", recognises_gltf, read_gltf};

}  // namespace quartic::io
