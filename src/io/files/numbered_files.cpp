#include "io/files/numbered_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

constexpr std::size_t name_bytes = 4096;
constexpr int largest_number_digits = 20;

/// What a signal handler needs to remove a series; the number of files grows while it is listed. Series beyond the
/// table's size are removed by their destructors only.
struct SeriesSlot {
  std::atomic<int> state{unused};
  std::atomic<std::int64_t> begun{0};
  std::array<char, name_bytes> folder{};
  std::array<char, name_bytes> stem{};  // path of a file up to its number
  std::array<char, 16> extension{};
  int digits = 0;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
std::array<SeriesSlot, 4> unfinished_series;

template <std::size_t size>
bool copy_name(std::array<char, size>& target, const std::string& name) {
  if (name.size() >= size) return false;
  std::memcpy(target.data(), name.c_str(), name.size() + 1);
  return true;
}

int list_unfinished(const std::string& folder, const std::string& stem, const std::string& extension, int digits) {
  for (std::size_t i = 0; i < unfinished_series.size(); ++i) {
    SeriesSlot& slot = unfinished_series[i];
    int expected = unused;
    if (!slot.state.compare_exchange_strong(expected, claimed)) continue;
    const bool fits = stem.size() + largest_number_digits + extension.size() < name_bytes &&
                      copy_name(slot.folder, folder) && copy_name(slot.stem, stem) &&
                      copy_name(slot.extension, extension);
    slot.digits = digits;
    slot.begun = 0;
    slot.state.store(fits ? listed : unused);
    return fits ? static_cast<int>(i) : -1;
  }
  return -1;
}

// Without any function that a signal handler mustn't call.
void unlink_number(const SeriesSlot& slot, std::int64_t number) noexcept {
  std::array<char, name_bytes> path{};
  std::array<char, largest_number_digits> reversed{};
  int digits = 0;
  for (; number > 0 || digits < slot.digits; number /= 10)
    reversed[static_cast<std::size_t>(digits++)] = static_cast<char>('0' + number % 10);
  std::size_t end = 0;
  for (std::size_t i = 0; slot.stem[i] != 0; ++i) path[end++] = slot.stem[i];
  while (digits > 0) path[end++] = reversed[static_cast<std::size_t>(--digits)];
  for (std::size_t i = 0; slot.extension[i] != 0; ++i) path[end++] = slot.extension[i];
  path[end] = 0;
  ::unlink(path.data());
}

[[noreturn]] void fail(const std::filesystem::path& folder, const std::string& why) {
  throw FileError("can't write files in '" + folder.string() + "': " + why);
}

}  // namespace

NumberedFiles::NumberedFiles(const std::filesystem::path& folder, const std::string& extension, std::int64_t count)
    : folder_(folder),
      extension_(extension),
      digits_(std::max(4, static_cast<int>(std::to_string(std::max<std::int64_t>(count, 1) - 1).size()))) {
  static std::atomic<unsigned> counter{0};
  std::error_code error;
  const bool exists = std::filesystem::exists(folder_, error);
  if (exists && !std::filesystem::is_directory(folder_, error))
    fail(folder_, "there is a file of that name; move it away");
  // Where files are renamed into a folder that is there, the temporary one must be on the same disk.
  const auto parent = exists ? folder_ : folder_.parent_path();
  const auto temporary = parent / ("." + folder_.filename().string().substr(0, 200) + "." + std::to_string(::getpid()) +
                                   "-" + std::to_string(counter++) + ".part");
  // Listed first: a signal between the two calls must not leave the folder behind.
  slot_ = list_unfinished(temporary.string(), (temporary / folder_.filename()).string() + "_", extension_, digits_);
  if (::mkdir(temporary.c_str(), 0777) != 0) {
    const std::string why = std::generic_category().message(errno);
    discard();
    fail(folder_, why);
  }
  temporary_ = temporary;
}

NumberedFiles::~NumberedFiles() {
  discard();
}

std::string NumberedFiles::name(std::int64_t number) const {
  std::string digits = std::to_string(number);
  digits.insert(0, static_cast<std::size_t>(std::max(0, digits_ - static_cast<int>(digits.size()))), '0');
  return folder_.filename().string() + "_" + digits + extension_;
}

std::filesystem::path NumberedFiles::next() {
  auto path = temporary_ / name(begun_);
  ++begun_;
  if (slot_ >= 0) unfinished_series[static_cast<std::size_t>(slot_)].begun.store(begun_);
  return path;
}

void NumberedFiles::commit() {
  std::error_code error;
  if (!std::filesystem::exists(folder_, error)) {
    std::filesystem::rename(temporary_, folder_, error);
  } else {
    for (std::int64_t number = 0; number < begun_; ++number)  // first, lest some files take their places and others not
      if (std::filesystem::is_directory(folder_ / name(number), error))
        fail(folder_, "'" + name(number) + "' is a folder; move it away");
    error.clear();
    for (std::int64_t number = 0; number < begun_ && !error; ++number)
      std::filesystem::rename(temporary_ / name(number), folder_ / name(number), error);
  }
  if (error) fail(folder_, error.message());
  discard();
}

// What is left of the temporary folder is this object's own.
void NumberedFiles::discard() noexcept {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
  temporary_.clear();
  if (slot_ >= 0) unfinished_series[static_cast<std::size_t>(slot_)].state.store(unused);
  slot_ = -1;
}

void remove_unfinished_series() noexcept {
  for (const SeriesSlot& slot : unfinished_series) {
    if (slot.state.load() != listed) continue;
    const std::int64_t begun = slot.begun.load();
    for (std::int64_t number = 0; number < begun; ++number) unlink_number(slot, number);
    ::rmdir(slot.folder.data());
  }
}

}  // namespace quartic::io
