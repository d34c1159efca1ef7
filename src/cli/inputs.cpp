#include "cli/inputs.hpp"

#include <array>
#include <fstream>

namespace quartic::cli {

bool looks_like_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 9> head{};
  return file.read(head.data(), head.size()) && head[8] == '{' && head[7] == 0;
}

}  // namespace quartic::cli
