// Binary glTF 2.0 of a moving body: its surface with morph targets.
//
// Up to glb_basis_limit basis vectors, the basis itself is the morph targets, scaled so that the weights that q(t)
// becomes are between 0 and 1; above, each frame is a target of its own whose weight is 1 at its time and goes linearly
// to 0 until the next one's. Of a body far from the origin, the node's translation holds the offset. There are no
// normals, so that viewers shade the deformed faces by their true ones.
#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "io/files/atomic_file.hpp"
#include "io/motion/frame_times.hpp"
#include "io/motion/render_surface.hpp"
#include "io/motion/shape_weights.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace {

using Json = nlohmann::ordered_json;

// Numbers of the glTF specification.
constexpr int component_float = 5126, component_uint32 = 5125;
constexpr int target_vertices = 34962, target_indices = 34963;
constexpr std::uint32_t glb_magic = 0x46546C67, chunk_json = 0x4E4F534A, chunk_binary = 0x004E4942;

/// Collects the binary chunk and the JSON that describes it.
class GltfBuffer {
 public:
  /// Vectors of three floats. @return the accessor's number
  int add_vectors(std::span<const double> values, int target) {
    std::vector<float> floats(values.size());
    float low[3], high[3];
    std::fill_n(low, 3, std::numeric_limits<float>::max());
    std::fill_n(high, 3, std::numeric_limits<float>::lowest());
    for (std::size_t i = 0; i < values.size(); ++i) {
      floats[i] = io::to_single(values[i]);
      low[i % 3] = std::min(low[i % 3], floats[i]);
      high[i % 3] = std::max(high[i % 3], floats[i]);
    }
    const int number = add(std::as_bytes(std::span(floats)), component_float, "VEC3", floats.size() / 3, target);
    accessors_[static_cast<std::size_t>(number)]["min"] = low;
    accessors_[static_cast<std::size_t>(number)]["max"] = high;
    return number;
  }

  int add_scalars(const std::vector<float>& values) {
    return add(std::as_bytes(std::span(values)), component_float, "SCALAR", values.size(), 0);
  }

  /// Times of keyframes, which glTF wants with their bounds.
  int add_times(const std::vector<float>& times) {
    const int number = add_scalars(times);
    accessors_[static_cast<std::size_t>(number)]["min"] = {times.front()};
    accessors_[static_cast<std::size_t>(number)]["max"] = {times.back()};
    return number;
  }

  int add_indices(const std::vector<std::uint32_t>& indices) {
    return add(std::as_bytes(std::span(indices)), component_uint32, "SCALAR", indices.size(), target_indices);
  }

  void finish(Json& gltf) const {
    gltf["accessors"] = accessors_;
    gltf["bufferViews"] = views_;
    gltf["buffers"] = {{{"byteLength", bytes_.size()}}};
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  int add(std::span<const std::byte> data, int component, const char* type, std::size_t count, int target) {
    Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", data.size()}};
    if (target != 0) view["target"] = target;
    bytes_.insert(bytes_.end(), data.begin(), data.end());  // all are multiples of four bytes, so aligned
    accessors_.push_back(
        {{"bufferView", views_.size()}, {"componentType", component}, {"count", count}, {"type", type}});
    views_.push_back(std::move(view));
    return static_cast<int>(accessors_.size()) - 1;
  }

  std::vector<std::byte> bytes_;
  Json accessors_ = Json::array();
  Json views_ = Json::array();
};

std::vector<float> keyframe_times(const io::SurfaceMotion& motion) {
  std::vector<float> times = io::single_precision_times(motion.time());
  if (times.front() < 0) throw InputError("a glTF animation can't start before time 0");
  return times;
}

/// The positions without targets, shape (3s), and the morph targets, shape (3s, targets), with their names and weights
/// per frame.
struct Morph {
  std::vector<double> base;
  Matrix targets;
  std::vector<std::string> names;
  std::vector<float> weights;  // shape (frames, targets), C order
  Json ranges;                 // of basis targets: the coordinates that the weights 0 and 1 stand for
};

Morph basis_targets(const io::SurfaceMotion& motion) {
  const std::vector<io::WeightRange> ranges = io::weight_ranges(motion);
  Morph morph{io::weightless_positions(motion, ranges), motion.basis(), {}, {}, Json::array()};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    morph.names.push_back("q" + std::to_string(i));
    morph.ranges.push_back({ranges[i].from, ranges[i].to});
    for (double& x : morph.targets.col(static_cast<std::int64_t>(i))) x *= ranges[i].length();
  }
  for (std::int64_t frame = 0; frame < motion.frames(); ++frame)
    for (std::size_t i = 0; i < ranges.size(); ++i) morph.weights.push_back(ranges[i].weight(motion.q(frame)[i]));
  return morph;
}

Morph frame_targets(const io::SurfaceMotion& motion) {
  const auto frames = static_cast<std::size_t>(motion.frames());
  Morph morph{motion.surface().rest, Matrix(motion.basis().rows, motion.frames()), {}, {}, {}};
  morph.weights.assign(frames * frames, 0);
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const auto q = motion.q(static_cast<std::int64_t>(frame));
    morph.targets.map().col(static_cast<Eigen::Index>(frame)).noalias() =
        motion.basis().map() * Eigen::Map<const Eigen::VectorXd>(q.data(), std::ssize(q));
    morph.names.push_back("frame " + std::to_string(frame));
    morph.weights[frame * frames + frame] = 1;
  }
  return morph;
}

// A glb file counts its bytes in 32 bits.
void require_size(std::int64_t surface_vertices, std::int64_t targets, std::int64_t frames) {
  const double bytes = 4.0 * (3.0 * static_cast<double>(surface_vertices) * static_cast<double>(targets + 3) +
                              static_cast<double>(frames) * static_cast<double>(targets + 1));
  if (bytes > 4e9)
    throw InputError("the animation of " + std::to_string(frames) + " frames would take " +
                     std::to_string(static_cast<std::int64_t>(bytes / 1e9)) +
                     " GB, more than a .glb file can hold; write fewer frames");
}

Json body_node(const std::array<double, 3>& origin) {
  Json node = {{"name", "body"}, {"mesh", 0}};
  if (origin != std::array<double, 3>{}) node["translation"] = origin;
  return node;
}

Json scene(const io::SurfaceMotion& motion, const Morph& morph, GltfBuffer& buffer) {
  const int positions = buffer.add_vectors(morph.base, target_vertices);
  const int indices = buffer.add_indices(motion.surface().triangles);
  Json targets = Json::array();
  for (std::int64_t t = 0; t < morph.targets.cols; ++t)
    targets.push_back({{"POSITION", buffer.add_vectors(morph.targets.col(t), target_vertices)}});
  const int input = buffer.add_times(keyframe_times(motion));
  const int output = buffer.add_scalars(morph.weights);
  const std::vector<float> start(morph.weights.begin(), morph.weights.begin() + morph.targets.cols);
  Json gltf;
  gltf["asset"] = {{"version", "2.0"}, {"generator", std::string("quartic ") + version}};
  gltf["scene"] = 0;
  gltf["scenes"] = {{{"name", "scene"}, {"nodes", {0}}}};
  gltf["nodes"] = Json::array({body_node(motion.surface().origin)});
  gltf["materials"] = {
      {{"name", "body"},
       {"doubleSided", true},
       {"pbrMetallicRoughness",
        {{"baseColorFactor", {0.55, 0.65, 0.8, 1.0}}, {"metallicFactor", 0}, {"roughnessFactor", 0.7}}}}};
  Json primitive = {{"attributes", {{"POSITION", positions}}}, {"indices", indices}, {"material", 0}, {"mode", 4}};
  primitive["targets"] = targets;
  Json mesh = {{"name", "surface"}};
  mesh["primitives"] = Json::array({primitive});
  mesh["weights"] = start;
  mesh["extras"] = {{"targetNames", morph.names}};
  if (!morph.ranges.empty()) mesh["extras"]["targetRanges"] = morph.ranges;
  gltf["meshes"] = Json::array({mesh});
  gltf["animations"] = {{{"name", "motion"},
                         {"samplers", {{{"input", input}, {"interpolation", "LINEAR"}, {"output", output}}}},
                         {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}}}}};
  buffer.finish(gltf);
  return gltf;
}

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

void write_glb(const ReducedModel& model, const Trajectory& trajectory, const std::filesystem::path& path) {
  if (trajectory.frames() < 1) throw InputError("the trajectory has no frames");
  const io::SurfaceMotion motion(model, trajectory, io::FileOrigin::near_surface);
  const bool basis_as_targets = trajectory.rank <= glb_basis_limit;
  require_size(motion.vertex_count(), basis_as_targets ? trajectory.rank : trajectory.frames(), trajectory.frames());
  GltfBuffer buffer;
  const Json gltf = scene(motion, basis_as_targets ? basis_targets(motion) : frame_targets(motion), buffer);
  write_container(gltf, buffer.bytes(), path);
}

}  // namespace quartic
