// Arbitrary bytes as a list of fixed vertices (.bou): sorted indices in range or quartic::Error, nothing else.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "sound_mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string name = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "quartic-fuzz-XXXXXX").string();
    const int descriptor = mkstemp(pattern.data());
    if (descriptor < 0) std::abort();
    close(descriptor);
    return pattern;
  }();
  constexpr std::int64_t vertex_count = 1000;
  std::ofstream(name, std::ios::binary) << std::string_view(reinterpret_cast<const char*>(data), size);
  try {
    const std::vector<std::int32_t> vertices = quartic::read_fixed_vertices(name, vertex_count);
    quartic::fuzz::require(std::is_sorted(vertices.begin(), vertices.end()));
    for (const std::int32_t v : vertices) quartic::fuzz::require(v >= 0 && v < vertex_count);
  } catch (const quartic::Error&) {
  }
  return 0;
}
