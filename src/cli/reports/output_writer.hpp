// Outputs of a command, each written whatever becomes of the others: work that took long isn't lost for one full disk.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace quartic::cli {

class OutputWriter {
 public:
  /// Calls `write`. What it throws is kept as a message that names the file.
  /// @param beside files that are written along with it
  void write(const std::string& file, const std::function<void()>& write, const std::vector<std::string>& beside = {});
  /// Notes a file that was written elsewhere, or the message of why it wasn't; none: empty.
  void note(const std::string& file, const std::string& failure);

  /// The files in the order in which they were written, and then those beside them.
  [[nodiscard]] std::vector<std::string> written() const;
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }
  /// To be called when all is reported. @throws InputError with all messages, if there are any
  void require_all() const;

 private:
  std::vector<std::string> written_, beside_, failures_;
};

}  // namespace quartic::cli
