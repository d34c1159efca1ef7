#include "io/text/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/base/thread_pool.hpp"
#include "io/files/huge_pages.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

struct FileDescriptor {
  explicit FileDescriptor(int descriptor) : value(descriptor) {}
  ~FileDescriptor() {
    if (value >= 0) ::close(value);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int value;
};

[[noreturn]] void fail_to_read(const std::filesystem::path& path, const std::string& why) {
  throw FileError("can't read '" + path.string() + "': " + why);
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

std::optional<double> parse_plain_number(std::string_view field) {
  double value = 0;
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (stop != field.data() + field.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Both ends of the range are reported alike; a negative exponent tells that it is the small one.
    const auto exponent = field.find_first_of("eE");
    if (exponent != std::string_view::npos && field.substr(exponent + 1).starts_with('-')) return 0.0;
    return std::nullopt;
  }
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Copying what the system has in its cache is worth several threads.
constexpr std::size_t large_file = 4 << 20, piece_size = 1 << 20;

/// Reads as much of a file as fits from its start. @return how many bytes there are without a gap
std::size_t read_pieces(int file, std::string& content) {
  const std::size_t pieces = (content.size() + piece_size - 1) / piece_size;
  std::atomic<std::size_t> first_gap = content.size();
  parallel_for(static_cast<std::int64_t>(pieces), [&](std::int64_t piece) {
    const std::size_t begin = static_cast<std::size_t>(piece) * piece_size;
    const std::size_t size = std::min(piece_size, content.size() - begin);
    const ssize_t got = ::pread(file, content.data() + begin, size, static_cast<off_t>(begin));
    const std::size_t end = begin + static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    if (end == begin + size) return;
    for (std::size_t known = first_gap; end < known && !first_gap.compare_exchange_weak(known, end);) {
    }
  });
  return first_gap;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  // Opening a pipe would wait for its writer otherwise.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.value < 0) fail_to_read(path, std::generic_category().message(errno));
  struct stat status {};
  if (::fstat(file.value, &status) != 0) fail_to_read(path, std::generic_category().message(errno));
  if (S_ISDIR(status.st_mode)) fail_to_read(path, "it is a folder");
  if (S_ISFIFO(status.st_mode)) fail_to_read(path, "it is a pipe, not a file");
  if (!S_ISREG(status.st_mode)) fail_to_read(path, "it is a device, not a file");
  std::string content;
  std::size_t used = 0;
  const std::size_t expected = static_cast<std::size_t>(status.st_size) + 1;
  content.reserve(expected);
  prefer_huge_pages(content.data(), expected);
  content.resize(expected);
  if (expected > large_file) {
    used = read_pieces(file.value, content);
    if (::lseek(file.value, static_cast<off_t>(used), SEEK_SET) < 0)
      fail_to_read(path, std::generic_category().message(errno));
  }
  while (true) {
    if (used == content.size()) content.resize(2 * content.size());
    const ssize_t got = ::read(file.value, content.data() + used, content.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(path, std::generic_category().message(errno));
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  content.resize(used);
  return content;
}

std::string quote(std::string_view text) {
  constexpr std::size_t limit = 40;
  std::string result = "'";
  for (const char c : text.substr(0, limit)) result += c < ' ' && c >= 0 ? '?' : c;
  if (text.size() > limit) result += "...";
  return result + "'";
}

std::optional<std::int64_t> parse_integer(std::string_view field) {
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || stop != field.data() + field.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view field) {
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  if (const auto value = parse_plain_number(field)) return value;
  const auto exponent = field.find_first_of("dD");
  if (exponent == std::string_view::npos || field.size() > 64) return std::nullopt;
  std::array<char, 64> copy{};
  std::copy(field.begin(), field.end(), copy.begin());
  copy[exponent] = 'e';
  return parse_plain_number({copy.data(), field.size()});
}

std::string format_number(double value) {
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

void append_number(std::string& text, float value) {
  std::array<char, 32> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), result.ptr);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view Fields::next() {
  const auto separates = [](char c) { return c == ',' || is_blank(c); };
  std::size_t begin = 0;
  while (begin < rest_.size() && separates(rest_[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest_.size() && !separates(rest_[end])) ++end;
  const std::string_view field = rest_.substr(begin, end - begin);
  rest_.remove_prefix(end);
  return field;
}

Lines::Lines(std::string_view text, bool has_comments)
    : position_(text.data()), end_(text.data() + text.size()), has_comments_(has_comments) {
  if (text.starts_with("\xEF\xBB\xBF")) position_ += 3;
}

bool Lines::next(std::string_view& line) {
  while (position_ != end_) {
    const char* begin = position_;
    const char* stop = nullptr;  // where a comment starts
    while (position_ != end_ && *position_ != '\n' && *position_ != '\r') {
      if (*position_ == '#' && has_comments_ && stop == nullptr) stop = position_;
      ++position_;
    }
    if (stop == nullptr) stop = position_;
    if (position_ != end_) position_ += *position_ == '\r' && position_ + 1 != end_ && position_[1] == '\n' ? 2 : 1;
    ++number_;
    line = trimmed({begin, static_cast<std::size_t>(stop - begin)});
    if (!line.empty()) return true;
  }
  return false;
}

}  // namespace quartic::io
