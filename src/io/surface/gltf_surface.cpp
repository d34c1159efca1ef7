// Triangles of glTF 2.0 scenes (.gltf, .glb), through tinygltf. Khronos, glTF 2.0 specification.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/gltf/gltf_file.hpp"
#include "io/surface/surface_formats.hpp"
#include "io/text/text.hpp"

namespace quartic::io {
namespace {

bool is_text_gltf(std::string_view content) {
  return trimmed(content.substr(0, 1024)).starts_with('{') && content.find("\"asset\"") != std::string_view::npos &&
         content.find("\"meshes\"") != std::string_view::npos;
}

bool recognises_gltf(const MeshFile& file) {
  return file.content.starts_with("glTF") || is_text_gltf(file.content);
}

constexpr std::int64_t most_in_scene = 200'000'000;  // vertices, and triangles

/// Collects the triangles of all meshes where the nodes of the scene and the weights of morph targets put them.
class GltfReader {
 public:
  explicit GltfReader(const GltfFile& file) : file_(file), gltf_(file.model()) {}

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
  [[noreturn]] void fail(const std::string& what) const { file_.fail(what); }
  template <class Entry>
  const Entry& entry(const std::vector<Entry>& list, int number, const char* what) const {
    return file_.entry(list, number, what);
  }
  const tinygltf::Scene& scene() const { return entry(gltf_.scenes, std::max(gltf_.defaultScene, 0), "scene"); }

  void add_node(int number, const Eigen::Affine3d& parent, int depth = 0);
  void add_mesh(const tinygltf::Mesh& mesh, const std::vector<double>& weights, const Eigen::Affine3d& placement);
  void add_primitive(const tinygltf::Primitive& primitive, const std::vector<double>& weights,
                     const Eigen::Affine3d& placement);
  std::vector<double> morphed_positions(const tinygltf::Primitive& primitive, const std::vector<double>& weights) const;
  std::vector<std::int64_t> corners(const tinygltf::Primitive& primitive, std::size_t vertices) const;

  const GltfFile& file_;
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
  const std::vector<double> indices = file_.numbers(primitive.indices, 1);
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
    return file_.numbers(accessor, 3);
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

TriangleMesh read_gltf(const MeshFile& file) {
  return GltfReader(GltfFile(file)).read();
}

}  // namespace

const SurfaceFormat gltf_format = {"glTF", recognises_gltf, read_gltf};

}  // namespace quartic::io
