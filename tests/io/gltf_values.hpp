// glTF files as another's parser reads them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_INCLUDE_JSON
#include <nlohmann/json.hpp>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <tiny_gltf.h>
#pragma GCC diagnostic pop

namespace quartic::test {

inline constexpr double float_epsilon = 0x1p-23;

inline tinygltf::Model read_gltf(const std::filesystem::path& path) {
  tinygltf::TinyGLTF loader;
  tinygltf::Model gltf;
  std::string error, warning;
  EXPECT_TRUE(loader.LoadBinaryFromFile(&gltf, &error, &warning, path.string())) << error;
  EXPECT_EQ(error, "");
  EXPECT_EQ(warning, "");
  return gltf;
}

template <class T>
std::vector<T> accessor_values(const tinygltf::Model& gltf, int number, std::size_t components) {
  const auto& accessor = gltf.accessors.at(static_cast<std::size_t>(number));
  const auto& view = gltf.bufferViews.at(static_cast<std::size_t>(accessor.bufferView));
  EXPECT_EQ((view.byteOffset + accessor.byteOffset) % 4, 0u);
  EXPECT_LE(view.byteOffset + view.byteLength, gltf.buffers.at(0).data.size());
  std::vector<T> values(accessor.count * components);
  EXPECT_EQ(view.byteLength, values.size() * sizeof(T));
  std::memcpy(values.data(), gltf.buffers[0].data.data() + view.byteOffset, values.size() * sizeof(T));
  return values;
}

inline std::vector<float> positions_of(const tinygltf::Model& gltf, int number) {
  const auto values = accessor_values<float>(gltf, number, 3);
  const auto& accessor = gltf.accessors[static_cast<std::size_t>(number)];
  for (std::size_t c = 0; c < 3; ++c) {
    float low = values[c], high = values[c];
    for (std::size_t i = c; i < values.size(); i += 3) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    EXPECT_EQ(static_cast<float>(accessor.minValues.at(c)), low);
    EXPECT_EQ(static_cast<float>(accessor.maxValues.at(c)), high);
  }
  return values;
}

}  // namespace quartic::test
