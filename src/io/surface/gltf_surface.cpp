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
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
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

/// An accessor's values, whose bytes were checked to be there.
struct Values {
  const unsigned char* first;
  std::size_t count, stride;
  int component_type;

  template <class Number>
  [[nodiscard]] Number at(std::size_t i, std::size_t component = 0) const {
    Number value;
    std::memcpy(&value, first + i * stride + component * sizeof value, sizeof value);
    return value;
  }
};

constexpr std::int64_t most_in_scene = 200'000'000;  // vertices, and triangles

/// Collects the triangles of all meshes where the nodes of the scene put them.
class GltfReader {
 public:
  GltfReader(const MeshFile& file, const tinygltf::Model& gltf) : name_(file.path.string()), gltf_(gltf) {}

  TriangleMesh read() {
    if (gltf_.scenes.empty()) {  // then the file only holds things for others to use
      for (const tinygltf::Mesh& mesh : gltf_.meshes) add_mesh(mesh, Eigen::Affine3d::Identity());
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
  void add_mesh(const tinygltf::Mesh& mesh, const Eigen::Affine3d& placement);
  void add_primitive(const tinygltf::Primitive& primitive, const Eigen::Affine3d& placement);
  std::vector<std::int64_t> corners(const tinygltf::Primitive& primitive, std::size_t vertices) const;
  Values values(int accessor, int components) const;

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
  if (node.mesh >= 0) add_mesh(entry(gltf_.meshes, node.mesh, "mesh"), placement);
  for (const int child : node.children) add_node(child, placement, depth + 1);
}

void GltfReader::add_mesh(const tinygltf::Mesh& mesh, const Eigen::Affine3d& placement) {
  for (const tinygltf::Primitive& primitive : mesh.primitives) {
    if (primitive.mode < TINYGLTF_MODE_POINTS || primitive.mode > TINYGLTF_MODE_TRIANGLE_FAN)
      fail("a primitive is of mode " + std::to_string(primitive.mode) + ", which glTF doesn't have");
    if (primitive.mode < TINYGLTF_MODE_TRIANGLES) {
      ++other_primitives_;
    } else {
      add_primitive(primitive, placement);
    }
  }
}

Values GltfReader::values(int number, int components) const {
  const tinygltf::Accessor& accessor = entry(gltf_.accessors, number, "accessor");
  const std::string what = "accessor " + std::to_string(number);
  if (accessor.sparse.isSparse || accessor.bufferView < 0) fail(what + " is sparse; save the mesh without");
  const tinygltf::BufferView& view = entry(gltf_.bufferViews, accessor.bufferView, "buffer view");
  const std::vector<unsigned char>& bytes = entry(gltf_.buffers, view.buffer, "buffer").data;
  const int component_bytes = tinygltf::GetComponentSizeInBytes(static_cast<std::uint32_t>(accessor.componentType));
  if (component_bytes < 1 || tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor.type)) != components)
    fail(what + " should have " + std::to_string(components) + " components");
  const auto size = static_cast<std::size_t>(component_bytes) * static_cast<std::size_t>(components);
  const std::size_t stride = view.byteStride > 0 ? view.byteStride : size;
  // Each number alone is below the buffer's size, so that nothing overflows.
  const bool view_fits = view.byteOffset <= bytes.size() && view.byteLength <= bytes.size() - view.byteOffset;
  const std::size_t limit = view_fits ? view.byteLength : 0;
  const bool fits = view_fits && stride >= size && accessor.byteOffset <= limit && accessor.count <= limit &&
                    stride <= std::max(limit, size) &&
                    (accessor.count == 0 || (limit - accessor.byteOffset >= size &&
                                             accessor.count - 1 <= (limit - accessor.byteOffset - size) / stride));
  if (!fits) fail(what + " doesn't fit into its buffer view, or that into its buffer (is the file cut short?)");
  return {bytes.data() + view.byteOffset + accessor.byteOffset, accessor.count, stride, accessor.componentType};
}

/// The vertices in the order in which the primitive uses them.
std::vector<std::int64_t> GltfReader::corners(const tinygltf::Primitive& primitive, std::size_t vertices) const {
  std::vector<std::int64_t> order;
  if (primitive.indices < 0) {
    for (std::size_t v = 0; v < vertices; ++v) order.push_back(static_cast<std::int64_t>(v));
    return order;
  }
  const Values indices = values(primitive.indices, 1);
  for (std::size_t i = 0; i < indices.count; ++i) {
    std::int64_t vertex = 0;
    if (indices.component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE) {
      vertex = indices.at<std::uint8_t>(i);
    } else if (indices.component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT) {
      vertex = indices.at<std::uint16_t>(i);
    } else if (indices.component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT) {
      vertex = indices.at<std::uint32_t>(i);
    } else {
      fail("indices are of a type that glTF doesn't have");
    }
    if (vertex >= static_cast<std::int64_t>(vertices))
      fail("a triangle has vertex " + std::to_string(vertex) + ", but its primitive has only " +
           std::to_string(vertices) + ", counted from 0");
    order.push_back(vertex);
  }
  return order;
}

void GltfReader::add_primitive(const tinygltf::Primitive& primitive, const Eigen::Affine3d& placement) {
  if (primitive.extensions.contains("KHR_draco_mesh_compression"))
    fail("the mesh is compressed by Draco; `gltf-transform copy` or a viewer saves it without");
  const auto attribute = primitive.attributes.find("POSITION");
  if (attribute == primitive.attributes.end()) fail("a primitive has no positions");
  const Values positions = values(attribute->second, 3);
  if (positions.component_type != TINYGLTF_COMPONENT_TYPE_FLOAT) fail("positions should be floats");
  const std::int64_t first = mesh_.vertex_count();
  // Nodes may show one mesh many times.
  if (static_cast<std::int64_t>(positions.count) > most_in_scene - first)
    fail("the scene has more than " + std::to_string(most_in_scene) + " vertices");
  for (std::size_t v = 0; v < positions.count; ++v) {
    const Eigen::Vector3d x =
        placement * Eigen::Vector3d(positions.at<float>(v, 0), positions.at<float>(v, 1), positions.at<float>(v, 2));
    if (!x.allFinite()) fail("a position of vertex " + std::to_string(v) + " of a primitive isn't a finite number");
    mesh_.vertices.insert(mesh_.vertices.end(), x.begin(), x.end());
  }
  const std::vector<std::int64_t> order = corners(primitive, positions.count);
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
  // Materials, textures and lights don't matter here; all else may move, repeat or pack vertices.
  for (const std::string& extension : gltf.extensionsRequired)
    if (!extension.starts_with("KHR_materials_") && !extension.starts_with("KHR_texture_") &&
        !extension.starts_with("KHR_lights_"))
      throw ParseError(file.path.string(), 0,
                       "the file demands the extension " + quote(extension) +
                           ", which can't be read; save it without compression, quantisation and instances");
  return GltfReader(file, gltf).read();
}

}  // namespace

const SurfaceFormat gltf_format = {"glTF", recognises_gltf, read_gltf};

}  // namespace quartic::io
