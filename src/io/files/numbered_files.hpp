// Files of a series that appear together or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "quartic/export.hpp"

namespace quartic::io {

/// The files `NAME/NAME_0000.EXTENSION`, `NAME/NAME_0001.EXTENSION`, ... being written. They lie in a temporary folder
/// until `commit`; without it, nothing is left. Other files that the folder NAME holds stay there.
class QUARTIC_EXPORT NumberedFiles {
 public:
  /// @param folder NAME with its path; made if it isn't there
  /// @param extension ".vtu"
  /// @throws FileError if there is something else of that name or the temporary folder can't be made
  NumberedFiles(const std::filesystem::path& folder, const std::string& extension, std::int64_t count);
  ~NumberedFiles();
  NumberedFiles(const NumberedFiles&) = delete;
  NumberedFiles& operator=(const NumberedFiles&) = delete;

  /// Where to write the next file.
  [[nodiscard]] std::filesystem::path next();
  /// "NAME_0003.vtu".
  [[nodiscard]] std::string name(std::int64_t number) const;
  /// Puts the files into the folder. @throws FileError
  void commit();

 private:
  void discard() noexcept;

  std::filesystem::path folder_;
  std::filesystem::path temporary_;  // empty after commit
  std::string extension_;
  int digits_ = 0;
  std::int64_t begun_ = 0;
  int slot_ = -1;  // in the table of unfinished series
};

/// Removes the temporary folders of every NumberedFiles that isn't committed; files being written in them must be gone
/// already (remove_unfinished_files). Async-signal-safe: for a signal handler that ends the process.
QUARTIC_EXPORT void remove_unfinished_series() noexcept;

}  // namespace quartic::io
