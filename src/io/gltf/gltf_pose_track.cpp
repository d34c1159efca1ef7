// A node's pose is the product of its own and of those of the nodes that it hangs on, P(t) = P_1(t) .. P_n(t). Channels
// are linear between their keys, rotations along the shortest arc, or steps, which end just before the next key.
// Between all keys P is linear, too, as tracks have it, unless a node turns on which others hang: then there are poses
// between.
#include "io/gltf/gltf_pose_track.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/frame/pose.hpp"
#include "io/gltf/gltf_file.hpp"

namespace quartic::io {
namespace {

using Pose = frame::Pose<double>;
using Quaternion = frame::Quaternion<double>;
using Vector = frame::Vector3<double>;

constexpr double between_poses = 1.0 / 240;  // [s]
constexpr std::size_t most_poses = 10'000'000;

/// Values at times, ascending.
struct Channel {
  std::vector<double> times = {}, values = {};  // shapes (n) and (n, width)
  std::size_t width = 3;
  bool steps = false;

  /// The key before, and how far it is to the next one.
  [[nodiscard]] std::pair<std::size_t, double> place(double time) const {
    const auto after = std::upper_bound(times.begin(), times.end(), time);
    if (after == times.begin()) return {0, 0};
    const auto key = static_cast<std::size_t>(after - times.begin()) - 1;
    if (steps || after == times.end()) return {key, 0};
    return {key, (time - times[key]) / (times[key + 1] - times[key])};
  }
  [[nodiscard]] Vector vector(std::size_t key) const {
    const double* x = values.data() + width * key;
    return {x[0], x[1], x[2]};
  }
  [[nodiscard]] Quaternion rotation(std::size_t key) const {
    return frame::normalised(Quaternion{vector(key), values[width * key + 3]});
  }
  [[nodiscard]] Vector vector_at(double time) const {
    const auto [key, share] = place(time);
    return share == 0 ? vector(key) : vector(key) + share * (vector(key + 1) - vector(key));
  }
  [[nodiscard]] Quaternion rotation_at(double time) const {
    const auto [key, share] = place(time);
    if (share == 0) return rotation(key);
    const Quaternion from = rotation(key), way = rotation(key + 1) * conjugate(from);
    return frame::normalised(frame::rotation_exp(share * frame::rotation_log(way)) * from);
  }
};

/// A node on its way.
struct MovedNode {
  Pose rest = {};
  Channel translation = {}, rotation = {.width = 4};  // without times where it stays

  [[nodiscard]] Pose at(double time) const {
    return {translation.times.empty() ? rest.position : translation.vector_at(time),
            rotation.times.empty() ? rest.rotation : rotation.rotation_at(time)};
  }
};

bool is_one(double x) {
  return std::abs(x - 1) < 1e-5;
}

class TrackReader {
 public:
  explicit TrackReader(const GltfFile& file) : file_(file), gltf_(file.model()) {}

  PoseTrack read(const std::string& name) {
    const int node = name.empty() ? only_moved_node() : node_called(name);
    const std::vector<int> chain = chain_of(node);
    const tinygltf::Animation* animation = animation_of(chain);
    if (animation == nullptr) file_.fail("no animation moves " + name_of(node) + "; " + what_moves());
    std::vector<MovedNode> nodes;
    for (const int number : chain) nodes.push_back(moved_node(number, *animation));
    PoseTrack track;
    for (const double time : times_of(nodes)) {
      Pose pose = nodes.back().at(time);
      for (std::size_t n = nodes.size() - 1; n-- > 0;) pose = pose * nodes[n].at(time);
      const Quaternion q = frame::normalised(pose.rotation);
      track.times.push_back(time);
      track.poses.push_back(
          {pose.position.x, pose.position.y, pose.position.z, q.vector.x, q.vector.y, q.vector.z, q.w});
    }
    return track;
  }

 private:
  [[nodiscard]] const tinygltf::Node& node(int number) const { return file_.entry(gltf_.nodes, number, "node"); }
  [[nodiscard]] std::string name_of(int number) const {
    return node(number).name.empty() ? "node " + std::to_string(number) : "the node " + quote(node(number).name);
  }
  [[nodiscard]] std::string names_of(const std::set<int>& numbers) const {
    std::string names;
    for (const int number : numbers)
      names += (names.empty() ? "" : ", ") +
               (node(number).name.empty() ? "a node without a name" : quote(node(number).name));
    return names;
  }
  [[nodiscard]] std::string what_moves() const {
    const std::set<int> moved = moved_nodes();
    return moved.empty() ? "animations move none" : "animations move " + names_of(moved);
  }

  [[nodiscard]] std::set<int> moved_nodes() const {
    std::set<int> moved;
    for (const tinygltf::Animation& animation : gltf_.animations)
      for (const tinygltf::AnimationChannel& channel : animation.channels)
        if (channel.target_path == "translation" || channel.target_path == "rotation") {
          static_cast<void>(node(channel.target_node));  // is there
          moved.insert(channel.target_node);
        }
    return moved;
  }
  [[nodiscard]] int only_moved_node() const {
    const std::set<int> moved = moved_nodes();
    if (moved.empty()) file_.fail("there are no animations of nodes in this file");
    if (moved.size() > 1) file_.fail("animations move several nodes; name one of " + names_of(moved));
    return *moved.begin();
  }
  [[nodiscard]] int node_called(const std::string& name) const {
    int found = -1;
    for (std::size_t n = 0; n < gltf_.nodes.size(); ++n) {
      if (gltf_.nodes[n].name != name) continue;
      if (found >= 0) file_.fail("two nodes are called " + quote(name) + "; give them names of their own");
      found = static_cast<int>(n);
    }
    if (found < 0) file_.fail("there is no node " + quote(name) + "; " + what_moves());
    return found;
  }
  /// The node and those that it hangs on, from the inside out.
  [[nodiscard]] std::vector<int> chain_of(int number) const {
    std::vector<int> parents(gltf_.nodes.size(), -1), chain;
    for (std::size_t n = 0; n < gltf_.nodes.size(); ++n)
      for (const int child : gltf_.nodes[n].children) {
        static_cast<void>(node(child));
        parents[static_cast<std::size_t>(child)] = static_cast<int>(n);
      }
    for (; number >= 0; number = parents[static_cast<std::size_t>(number)]) {
      if (chain.size() > gltf_.nodes.size()) file_.fail("nodes hang on each other in a circle");
      chain.push_back(number);
    }
    return chain;
  }
  [[nodiscard]] const tinygltf::Animation* animation_of(const std::vector<int>& chain) const {
    for (const tinygltf::Animation& animation : gltf_.animations)
      for (const tinygltf::AnimationChannel& channel : animation.channels)
        if ((channel.target_path == "translation" || channel.target_path == "rotation") &&
            std::find(chain.begin(), chain.end(), channel.target_node) != chain.end())
          return &animation;
    return nullptr;
  }

  [[noreturn]] void fail_scaled(int number) const {
    file_.fail(name_of(number) + " is scaled or sheared; apply that to the mesh, since shapes don't change in size");
  }
  [[nodiscard]] Pose rest_of(int number) const;
  [[nodiscard]] Channel channel_of(const tinygltf::Animation& animation, const tinygltf::AnimationChannel& channel,
                                   std::size_t width) const;
  [[nodiscard]] MovedNode moved_node(int number, const tinygltf::Animation& animation) const;
  [[nodiscard]] std::vector<double> times_of(const std::vector<MovedNode>& nodes) const;

  const GltfFile& file_;
  const tinygltf::Model& gltf_;
};

// Of a matrix, column by column, the rotation by the largest of the quaternion's components, and nothing but that.
Pose TrackReader::rest_of(int number) const {
  const tinygltf::Node& n = node(number);
  for (const double s : n.scale)
    if (!is_one(s)) fail_scaled(number);
  Pose pose{};
  if (n.translation.size() == 3) pose.position = {n.translation[0], n.translation[1], n.translation[2]};
  if (n.rotation.size() == 4) pose.rotation = {{n.rotation[0], n.rotation[1], n.rotation[2]}, n.rotation[3]};
  if (n.matrix.size() == 16) {
    const auto m = [&](std::size_t i, std::size_t j) { return n.matrix[4 * j + i]; };
    pose.position = {m(0, 3), m(1, 3), m(2, 3)};
    const double traces[] = {1 + m(0, 0) - m(1, 1) - m(2, 2), 1 - m(0, 0) + m(1, 1) - m(2, 2),
                             1 - m(0, 0) - m(1, 1) + m(2, 2), 1 + m(0, 0) + m(1, 1) + m(2, 2)};
    const auto largest = std::max_element(std::begin(traces), std::end(traces)) - std::begin(traces);
    const double x = m(2, 1) - m(1, 2), y = m(0, 2) - m(2, 0), z = m(1, 0) - m(0, 1);
    const double xy = m(1, 0) + m(0, 1), xz = m(0, 2) + m(2, 0), yz = m(2, 1) + m(1, 2);
    const Quaternion candidates[] = {
        {{traces[0], xy, xz}, x}, {{xy, traces[1], yz}, y}, {{xz, yz, traces[2]}, z}, {{x, y, z}, traces[3]}};
    pose.rotation = frame::normalised(candidates[largest]);
    const frame::Matrix3<double> rotation = frame::matrix(pose.rotation);
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector& row = rotation.row[i];
      if (!(std::abs(row.x - m(i, 0)) + std::abs(row.y - m(i, 1)) + std::abs(row.z - m(i, 2)) < 1e-5))
        fail_scaled(number);
    }
  }
  pose.rotation = frame::normalised(pose.rotation);
  const double sum = dot(pose.position, pose.position) + pose.rotation.w;
  if (!std::isfinite(sum)) file_.fail(name_of(number) + " isn't at finite numbers, or its rotation is zero");
  return pose;
}

Channel TrackReader::channel_of(const tinygltf::Animation& animation, const tinygltf::AnimationChannel& channel,
                                std::size_t width) const {
  const tinygltf::AnimationSampler& sampler = file_.entry(animation.samplers, channel.sampler, "sampler");
  const std::string what = "the " + channel.target_path + " of " + name_of(channel.target_node);
  if (sampler.interpolation == "CUBICSPLINE")
    file_.fail(what + " moves along splines, which aren't read; save it with sampled, linear keys");
  if (sampler.interpolation != "LINEAR" && sampler.interpolation != "STEP")
    file_.fail(what + " has the interpolation " + quote(sampler.interpolation) + ", which glTF doesn't have");
  Channel result{.times = file_.numbers(sampler.input, 1),
                 .values = file_.numbers(sampler.output, static_cast<int>(width)),
                 .width = width,
                 .steps = sampler.interpolation == "STEP"};
  const std::size_t count = result.times.size();
  if (count == 0 || result.values.size() != width * count)
    file_.fail(what + " has " + std::to_string(result.values.size() / width) + " values for " + std::to_string(count) +
               " times");
  for (std::size_t n = 0; n < count; ++n) {
    if (!std::isfinite(result.times[n]) || (n > 0 && !(result.times[n] > result.times[n - 1])))
      file_.fail(what + " has times that don't ascend");
    double square = 0;
    for (std::size_t c = 0; c < width; ++c) square += result.values[width * n + c] * result.values[width * n + c];
    if (!std::isfinite(square) || (width == 4 && !(square > 0)))
      file_.fail(what + " isn't finite, or is no rotation, at key " + std::to_string(n));
  }
  return result;
}

MovedNode TrackReader::moved_node(int number, const tinygltf::Animation& animation) const {
  MovedNode moved{.rest = rest_of(number)};
  for (const tinygltf::AnimationChannel& channel : animation.channels) {
    if (channel.target_node != number) continue;
    if (channel.target_path == "translation") moved.translation = channel_of(animation, channel, 3);
    if (channel.target_path == "rotation") moved.rotation = channel_of(animation, channel, 4);
    if (channel.target_path != "scale") continue;
    const Channel scale = channel_of(animation, channel, 3);
    if (!std::all_of(scale.values.begin(), scale.values.end(), is_one)) fail_scaled(number);
  }
  return moved;
}

std::vector<double> TrackReader::times_of(const std::vector<MovedNode>& nodes) const {
  std::set<double> times;
  bool arcs = false;
  for (const MovedNode& moved : nodes)
    for (const Channel* channel : {&moved.translation, &moved.rotation}) {
      times.insert(channel->times.begin(), channel->times.end());
      for (std::size_t n = 1; channel->steps && n < channel->times.size(); ++n)
        times.insert(std::nextafter(channel->times[n], -std::numeric_limits<double>::infinity()));
      arcs = arcs || (channel == &moved.rotation && &moved != nodes.data() && channel->times.size() > 1);
    }
  if (!arcs) return {times.begin(), times.end()};
  if ((*times.rbegin() - *times.begin()) / between_poses > static_cast<double>(most_poses))
    file_.fail("the animation is too long: there would be more than " + std::to_string(most_poses) + " poses");
  std::vector<double> dense;
  for (const double time : times) {
    const double begin = dense.empty() ? time : dense.back();
    const auto pieces = static_cast<int>(std::ceil((time - begin) / between_poses));
    for (int n = 1; n < pieces; ++n) dense.push_back(begin + (time - begin) * n / pieces);
    dense.push_back(time);
  }
  return dense;
}

}  // namespace

bool is_gltf(const std::string& content) {
  return content.starts_with("glTF") || (trimmed(std::string_view(content).substr(0, 1024)).starts_with('{') &&
                                         content.find("\"asset\"") != std::string::npos);
}

PoseTrack read_gltf_pose_track(const MeshFile& file, const std::string& node) {
  const GltfFile gltf(file);
  return TrackReader(gltf).read(node);
}

}  // namespace quartic::io
