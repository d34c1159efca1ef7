// Runs the `quartic` command as users do.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/files.hpp"
#include "support/support.hpp"

namespace quartic::test {

struct CommandResult {
  int exit_code = -1;
  std::string output, errors;

  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(output); }
};

/// Where the command was built.
[[nodiscard]] std::string command_path();

/// Runs `quartic ARGUMENTS` by a shell in a folder; `before` is shell text that comes first.
CommandResult run_quartic(const std::filesystem::path& folder, const std::string& arguments,
                          const std::string& before = "");

/// A call, and what it must end with.
struct Case {
  const char* arguments;
  int exit_code;
  const char* message;  ///< somewhere in what it prints
};

}  // namespace quartic::test
