// The numbers of a glTF file: its binary part, and the JSON that describes it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "io/motion/render_surface.hpp"

namespace quartic::io {

class GltfBuffer {
 public:
  using Json = nlohmann::ordered_json;

  // Numbers of the glTF specification.
  static constexpr int component_float = 5126, component_uint32 = 5125;
  static constexpr int target_vertices = 34962, target_indices = 34963;

  /// Vectors of three floats. @return the accessor's number
  int add_vectors(std::span<const double> values, int target) {
    std::vector<float> floats(values.size());
    float low[3], high[3];
    std::fill_n(low, 3, std::numeric_limits<float>::max());
    std::fill_n(high, 3, std::numeric_limits<float>::lowest());
    for (std::size_t i = 0; i < values.size(); ++i) {
      floats[i] = to_single(values[i]);
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

  /// Numbers of keyframes. @param type "VEC3" or "VEC4", of so many components
  int add_keys(const std::vector<float>& values, const char* type, std::size_t components) {
    return add(std::as_bytes(std::span(values)), component_float, type, values.size() / components, 0);
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

}  // namespace quartic::io
