// Files that appear whole or not at all: written under a temporary name in the same folder, then renamed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "quartic/export.hpp"

namespace quartic::io {

/// A file being written. Until `commit`, the target keeps what it held before; without `commit`, nothing is left.
/// A target that is a device or a pipe is written directly.
class QUARTIC_EXPORT AtomicFile {
 public:
  /// @throws FileError if the target is a folder or the temporary file can't be made
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// @throws FileError that names the target, for example because the disk is full; the temporary file is gone then
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Hands over all that was written so far: a full disk shows now, not in `commit`. @throws FileError as `write`
  void flush();
  /// Closes the file and gives it its name. @throws FileError as `write`
  void commit();

 private:
  void write_through(std::span<const std::byte> bytes);
  [[noreturn]] void fail(int error);
  void discard();

  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty if the target is written directly
  std::string buffer_;
  int descriptor_ = -1;
  int slot_ = -1;  // in the table of unfinished files
};

/// Removes the temporary files of every AtomicFile that isn't committed. Async-signal-safe: for a signal handler that
/// ends the process.
QUARTIC_EXPORT void remove_unfinished_files() noexcept;

}  // namespace quartic::io
