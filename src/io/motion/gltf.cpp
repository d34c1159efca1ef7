// Binary glTF 2.0 of a moving body: its surface with morph targets.
//
// Up to glb_basis_limit basis vectors, the basis itself is the morph targets, scaled so that the weights that q(t)
// becomes are between 0 and 1; above, and where the motion is warped, each frame is a target of its own whose weight is
// 1 at its time and goes linearly to 0 until the next one's. Of a body far from the origin, the node's translation
// holds the offset; a flying body's translation and rotation are animated. There are no normals, so that viewers shade
// the deformed faces by their true ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "core/base/number_text.hpp"
#include "io/files/atomic_file.hpp"
#include "io/motion/flight_origin.hpp"
#include "io/motion/frame_times.hpp"
#include "io/motion/gltf_buffer.hpp"
#include "io/motion/render_surface.hpp"
#include "io/motion/shape_weights.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace {

using io::GltfBuffer;
using Json = GltfBuffer::Json;

// Numbers of the glTF specification.
constexpr std::uint32_t glb_magic = 0x46546C67, chunk_json = 0x4E4F534A, chunk_binary = 0x004E4942;

std::vector<float> keyframe_times(const io::SurfaceMotion& motion) {
  std::vector<float> times = io::single_precision_times(motion.time());
  if (times.front() < 0) throw InputError("a glTF animation can't start before time 0");
  return times;
}

/// A mesh: the positions without targets, shape (3s), and the morph targets, shape (3s, targets), with their names.
struct Shape {
  std::vector<double> base;
  Matrix targets;
  std::vector<std::string> names;
  Json ranges;  // of basis targets: the coordinates that the weights 0 and 1 stand for
};

Shape basis_shape(const io::SurfaceMotion& motion, const std::vector<io::WeightRange>& ranges) {
  Shape shape{io::weightless_positions(motion, ranges), motion.basis(), {}, Json::array()};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    shape.names.push_back("q" + std::to_string(i));
    shape.ranges.push_back({ranges[i].from, ranges[i].to});
    for (double& x : shape.targets.col(static_cast<std::int64_t>(i))) x *= ranges[i].length();
  }
  return shape;
}

/// Shape (frames, rank), C order.
std::vector<float> basis_weights(const io::SurfaceMotion& motion, const std::vector<io::WeightRange>& ranges,
                                 std::int64_t body) {
  std::vector<float> weights;
  for (std::int64_t frame = 0; frame < motion.frames(); ++frame)
    for (std::size_t i = 0; i < ranges.size(); ++i) weights.push_back(ranges[i].weight(motion.q(frame, body)[i]));
  return weights;
}

Shape frame_shape(const io::SurfaceMotion& motion, std::int64_t body) {
  Shape shape{motion.surface().rest, Matrix(3 * motion.vertex_count(), motion.frames()), {}, {}};
  for (std::int64_t frame = 0; frame < motion.frames(); ++frame) {
    motion.displacements(frame, body, shape.targets.col(frame));
    shape.names.push_back("frame " + std::to_string(frame));
  }
  return shape;
}

/// Each frame's own target, shape (frames, frames).
std::vector<float> frame_weights(const io::SurfaceMotion& motion) {
  const auto frames = static_cast<std::size_t>(motion.frames());
  std::vector<float> weights(frames * frames);
  for (std::size_t frame = 0; frame < frames; ++frame) weights[frame * frames + frame] = 1;
  return weights;
}

/// The scene of a motion, part by part. Of one held body, parts are as numbered as ever: bytes don't change.
class GltfScene {
 public:
  explicit GltfScene(const io::SurfaceMotion& motion)
      : motion_(motion), of_basis_(motion.is_linear() && motion.rank() <= glb_basis_limit) {
    require_size();
    if (of_basis_) ranges_ = io::weight_ranges(motion);
    if (motion.flies())
      for (std::int64_t body = 0; body < motion.bodies(); ++body) paths_.push_back(motion.poses(body));
    if (motion.flies()) offset_ = io::flight_origin(paths_, motion.surface().size);
  }

  [[nodiscard]] Json make(GltfBuffer& buffer) {
    add_meshes(buffer);
    input_ = buffer.add_times(keyframe_times(motion_));
    for (std::int64_t body = 0; body < motion_.bodies(); ++body) add_body(body, buffer);
    Json gltf;
    gltf["asset"] = {{"version", "2.0"}, {"generator", std::string("quartic ") + version}};
    gltf["scene"] = 0;
    gltf["scenes"] = {{{"name", "scene"}, {"nodes", roots()}}};
    gltf["nodes"] = nodes_;
    gltf["materials"] = {
        {{"name", "body"},
         {"doubleSided", true},
         {"pbrMetallicRoughness",
          {{"baseColorFactor", {0.55, 0.65, 0.8, 1.0}}, {"metallicFactor", 0}, {"roughnessFactor", 0.7}}}}};
    gltf["meshes"] = meshes_;
    gltf["animations"] = Json::array({{{"name", "motion"}, {"samplers", samplers_}, {"channels", channels_}}});
    buffer.finish(gltf);
    return gltf;
  }

  /// What keyframes in single precision have lost of bodies' places, as a sentence.
  [[nodiscard]] std::vector<std::string> lost_places() const {
    constexpr double of_size = 1e-3;
    const double spacing = io::single_precision_spacing(farthest_), size = motion_.surface().size;
    if (!(spacing > of_size * size)) return {};
    return {"places in single precision are " + number_text(spacing, 3) + " m apart at " + number_text(farthest_, 3) +
            " m from the middle of the flight, so that bodies of " + number_text(size, 3) +
            " m jump; write .usda, whose places are in double precision, or bodies that are near each other alone"};
  }

 private:
  [[nodiscard]] std::int64_t mesh_count() const { return of_basis_ ? 1 : motion_.bodies(); }

  // A glb file counts its bytes in 32 bits.
  void require_size() const {
    const auto targets = static_cast<double>(of_basis_ ? motion_.rank() : motion_.frames());
    const auto meshes = static_cast<double>(mesh_count()), bodies = static_cast<double>(motion_.bodies());
    const double numbers = 3.0 * static_cast<double>(motion_.vertex_count()) * (targets * meshes + 3) +
                           static_cast<double>(motion_.frames()) * (bodies * (targets + (motion_.flies() ? 7 : 0)) + 1);
    if (4 * numbers > 4e9)
      throw InputError("the animation of " + std::to_string(motion_.frames()) + " frames would take " +
                       std::to_string(static_cast<std::int64_t>(4 * numbers / 1e9)) +
                       " GB, more than a .glb file can hold; write fewer frames" +
                       (motion_.bodies() > 1 ? ", or one body of the " + std::to_string(motion_.bodies()) : ""));
  }

  // One for all bodies, or each its own, which share positions at rest and triangles.
  void add_meshes(GltfBuffer& buffer) {
    int positions = -1, indices = -1;
    for (std::int64_t number = 0; number < mesh_count(); ++number) {
      const Shape shape = of_basis_ ? basis_shape(motion_, ranges_) : frame_shape(motion_, number);
      if (number == 0) {
        positions = buffer.add_vectors(shape.base, GltfBuffer::target_vertices);
        indices = buffer.add_indices(motion_.surface().triangles);
      }
      Json primitive = {{"attributes", {{"POSITION", positions}}}, {"indices", indices}, {"material", 0}, {"mode", 4}};
      Json targets = Json::array();
      for (std::int64_t t = 0; t < shape.targets.cols; ++t)
        targets.push_back({{"POSITION", buffer.add_vectors(shape.targets.col(t), GltfBuffer::target_vertices)}});
      primitive["targets"] = targets;
      Json mesh = {{"name", mesh_count() == 1 ? "surface" : "surface " + std::to_string(number)}};
      mesh["primitives"] = Json::array({primitive});
      mesh["weights"] = first_weights(weights(number), shape.targets.cols);
      mesh["extras"] = {{"targetNames", shape.names}};
      if (!shape.ranges.empty()) mesh["extras"]["targetRanges"] = shape.ranges;
      meshes_.push_back(mesh);
    }
  }

  [[nodiscard]] std::vector<float> weights(std::int64_t body) const {
    return of_basis_ ? basis_weights(motion_, ranges_, body) : frame_weights(motion_);
  }
  static std::vector<float> first_weights(const std::vector<float>& weights, std::int64_t targets) {
    return {weights.begin(), weights.begin() + targets};
  }

  // A node, and what moves it.
  void add_body(std::int64_t body, GltfBuffer& buffer) {
    const std::vector<float> own = weights(body);
    Json node = {{"name", motion_.bodies() == 1 ? "body" : "body " + std::to_string(body)},
                 {"mesh", of_basis_ ? 0 : body}};
    if (motion_.bodies() > 1 && of_basis_) node["weights"] = first_weights(own, motion_.basis().cols);
    add_channel(body, "weights", buffer.add_scalars(own));
    if (motion_.flies())
      fly(body, node, buffer);
    else if (motion_.surface().origin != std::array<double, 3>{})
      node["translation"] = motion_.surface().origin;
    nodes_.push_back(node);
  }

  void fly(std::int64_t body, Json& node, GltfBuffer& buffer) {
    std::vector<float> translations, rotations;
    for (const auto& [position, rotation] : paths_[static_cast<std::size_t>(body)]) {
      const double at[] = {position.x, position.y, position.z};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        translations.push_back(io::to_single(at[axis] - offset_[axis]));
        farthest_ = std::max(farthest_, std::abs(at[axis] - offset_[axis]));
      }
      for (const double x : {rotation.vector.x, rotation.vector.y, rotation.vector.z, rotation.w})
        rotations.push_back(io::to_single(x));
    }
    node["translation"] = std::vector<float>(translations.begin(), translations.begin() + 3);  // where it starts
    node["rotation"] = std::vector<float>(rotations.begin(), rotations.begin() + 4);
    add_channel(body, "translation", buffer.add_keys(translations, "VEC3", 3));
    add_channel(body, "rotation", buffer.add_keys(rotations, "VEC4", 4));
  }

  void add_channel(std::int64_t node, const char* path, int output) {
    channels_.push_back({{"sampler", samplers_.size()}, {"target", {{"node", node}, {"path", path}}}});
    samplers_.push_back({{"input", input_}, {"interpolation", "LINEAR"}, {"output", output}});
  }

  // All bodies, or the node that holds them at their offset.
  std::vector<std::int64_t> roots() {
    std::vector<std::int64_t> bodies(static_cast<std::size_t>(motion_.bodies()));
    std::iota(bodies.begin(), bodies.end(), 0);
    if (offset_ == std::array<double, 3>{}) return bodies;
    nodes_.push_back({{"name", "bodies"}, {"translation", offset_}, {"children", bodies}});
    return {motion_.bodies()};
  }

  const io::SurfaceMotion& motion_;
  bool of_basis_;  // whether the basis is the morph targets
  std::vector<io::WeightRange> ranges_;
  std::vector<io::FlightPath> paths_;  // of flying bodies
  std::array<double, 3> offset_{};     // what they count from, since keyframes are in single precision
  double farthest_ = 0;                // single coordinate from there [m]
  int input_ = -1;                     // accessor of the times
  Json meshes_ = Json::array(), nodes_ = Json::array(), samplers_ = Json::array(), channels_ = Json::array();
};

void write_container(const Json& gltf, std::span<const std::byte> binary, const std::filesystem::path& path) {
  std::string text = gltf.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const std::size_t total = 12 + 8 + text.size() + 8 + binary.size();
  if (total > std::numeric_limits<std::uint32_t>::max())
    throw InputError("the animation is larger than a .glb file can hold (4 GB); write fewer frames");
  const auto word = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
  const std::uint32_t head[] = {glb_magic, 2, word(total), word(text.size()), chunk_json};
  const std::uint32_t binary_head[] = {word(binary.size()), chunk_binary};
  io::AtomicFile file(path);
  file.write(std::as_bytes(std::span(head)));
  file.write(text);
  file.write(std::as_bytes(std::span(binary_head)));
  file.write(binary);
  file.commit();
}

}  // namespace

std::vector<std::string> write_glb(const ReducedModel& model, const Trajectory& trajectory,
                                   const std::filesystem::path& path, SceneBodies bodies) {
  io::require_ascending(trajectory.time);
  const io::SurfaceMotion motion(model, trajectory, io::FileOrigin::near_surface, io::shown_bodies(trajectory, bodies));
  GltfBuffer buffer;
  GltfScene scene(motion);
  const Json gltf = scene.make(buffer);
  write_container(gltf, buffer.bytes(), path);
  return scene.lost_places();
}

}  // namespace quartic
