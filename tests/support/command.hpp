// Runs the `quartic` command as users do.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
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

/// Runs `quartic ARGUMENTS` by a shell in a folder; `before` is shell text that comes first.
inline CommandResult run_quartic(const std::filesystem::path& folder, const std::string& arguments,
                                 const std::string& before = "") {
  const TemporaryFolder streams;
  const std::string line = "cd '" + folder.string() + "' && " + before + " '" + QUARTIC_COMMAND + "' " + arguments +
                           " >'" + (streams / "out").string() + "' 2>'" + (streams / "err").string() + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), file_text(streams / "out"),
          file_text(streams / "err")};
}

}  // namespace quartic::test
