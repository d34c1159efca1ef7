#include "support/command.hpp"

#include <sys/wait.h>

#include <cstdlib>

namespace quartic::test {

// The one source that is told the path: a compiler's cache serves the others in any folder.
std::string command_path() {
  return QUARTIC_COMMAND;
}

CommandResult run_quartic(const std::filesystem::path& folder, const std::string& arguments,
                          const std::string& before) {
  const TemporaryFolder streams;
  const std::string line = "cd '" + folder.string() + "' && " + before + " '" + command_path() + "' " + arguments +
                           " >'" + (streams / "out").string() + "' 2>'" + (streams / "err").string() + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), file_text(streams / "out"),
          file_text(streams / "err")};
}

}  // namespace quartic::test
