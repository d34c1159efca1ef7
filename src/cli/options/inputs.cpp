#include "cli/options/inputs.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace quartic::cli {

bool looks_like_model(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // looking into a pipe would take from it
  std::ifstream file(path, std::ios::binary);
  std::array<char, 9> head{};
  return file.read(head.data(), head.size()) && head[8] == '{' && head[7] == 0;
}

}  // namespace quartic::cli
