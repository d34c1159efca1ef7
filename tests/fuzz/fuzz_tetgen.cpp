// Arbitrary bytes as TetGen's pair of files, parted by the first '&': a sound mesh or quartic::Error, nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "sound_mesh.hpp"

namespace {

std::filesystem::path folder() {
  static const std::filesystem::path path = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "quartic-fuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    return std::filesystem::path(pattern);
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = std::min(input.find('&'), input.size());
  const auto nodes = folder() / "m.node", elements = folder() / "m.ele";
  std::ofstream(nodes, std::ios::binary) << input.substr(0, middle);
  std::ofstream(elements, std::ios::binary) << input.substr(std::min(middle + 1, input.size()));
  try {
    quartic::fuzz::require_sound(quartic::read_mesh(nodes));
  } catch (const quartic::Error&) {
  }
  return 0;
}
