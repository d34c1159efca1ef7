#include "io/files/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "io/files/slot_state.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

// The names that a signal handler removes. Files beyond the table's size are removed by their destructors only.
struct FileSlot {
  std::atomic<int> state{unused};
  std::array<char, 4096> name{};
};
std::array<FileSlot, 16> unfinished_files;

int list_unfinished(const std::string& name) {
  if (name.size() >= unfinished_files.front().name.size()) return -1;
  for (std::size_t i = 0; i < unfinished_files.size(); ++i) {
    int expected = unused;
    if (!unfinished_files[i].state.compare_exchange_strong(expected, claimed)) continue;
    std::memcpy(unfinished_files[i].name.data(), name.c_str(), name.size() + 1);
    unfinished_files[i].state.store(listed);
    return static_cast<int>(i);
  }
  return -1;
}

void unlist(int& slot) {
  if (slot >= 0) unfinished_files[static_cast<std::size_t>(slot)].state.store(unused);
  slot = -1;
}

constexpr std::size_t buffer_bytes = 1 << 16;

// Symbolic links are followed, so that a rename replaces the file and not the link.
std::filesystem::path resolved(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target;
}

std::filesystem::path temporary_name(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter{0};
  const std::string suffix = "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".part";
  const std::string name = target.filename().string();
  return target.parent_path() / ("." + name.substr(0, 200) + suffix);  // names are limited to 255 bytes
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path) : target_(resolved(path)) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (target_.filename().empty()) fail(ENOENT);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    // A rename would replace a file that nobody may write to.
    if (exists && ::access(target_.c_str(), W_OK) != 0) fail(errno);
    const auto temporary = temporary_name(target_);
    // Listed first: a signal between the two calls must not leave the file behind.
    slot_ = list_unfinished(temporary.string());
    descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) temporary_ = temporary;
    constexpr mode_t permissions = 0777;
    if (descriptor_ >= 0 && exists) static_cast<void>(::fchmod(descriptor_, status.st_mode & permissions));
  }
  if (descriptor_ < 0) fail(errno);
  buffer_.reserve(buffer_bytes);
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes) flush();
  if (bytes.size() >= buffer_bytes)
    write_through(bytes);
  else
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::commit() {
  flush();
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail(errno);
  if (!temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  unlist(slot_);
}

void AtomicFile::flush() {
  write_through(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
}

void AtomicFile::write_through(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::fail(int error) {
  discard();
  throw FileError("can't write '" + target_.string() + "': " + std::generic_category().message(error));
}

void AtomicFile::discard() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  unlist(slot_);
}

void remove_unfinished_files() noexcept {
  for (const FileSlot& slot : unfinished_files)
    if (slot.state.load() == listed) ::unlink(slot.name.data());
}

}  // namespace quartic::io
