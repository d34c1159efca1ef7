// What several tests share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace quartic::test {

/// Numbers in [-1, 1] from a fixed seed, the same on every machine.
inline std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = static_cast<double>(engine() >> 11) * 0x1p-52 - 1;
  return numbers;
}

/// A folder of this test's own, removed afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "quartic-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder: " + pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A file among the reference data that QUARTIC_TEST_DATA points to, or nothing where the variable isn't set.
inline std::optional<std::filesystem::path> reference_data(const std::string& name) {
  const char* folder = std::getenv("QUARTIC_TEST_DATA");
  if (folder == nullptr) return std::nullopt;
  return std::filesystem::path(folder) / name;
}

}  // namespace quartic::test

/// Skips the test, visibly, unless the reference data are there.
#define QUARTIC_NEED_DATA(variable, name)                                                  \
  const auto variable##_found = quartic::test::reference_data(name);                       \
  if (!variable##_found) GTEST_SKIP() << "QUARTIC_TEST_DATA isn't set: no reference data"; \
  const std::filesystem::path variable = *variable##_found
