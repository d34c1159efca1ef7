// What the tests of mesh readers share.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/support.hpp"

namespace quartic::test {

/// Expects a call to throw an error whose message has every one of `parts`.
template <class Expected, class Call>
void expect_error_of(const Call& call, const std::vector<std::string>& parts) {
  try {
    call();
    ADD_FAILURE() << "was read: " << parts.front();
  } catch (const Expected& error) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
  }
}

/// Reads texts as mesh files.
class MeshReading : public testing::Test {
 protected:
  /// @param name of the file, which says nothing of its format
  explicit MeshReading(std::string name = "m.txt") : name_(std::move(name)) {}

  [[nodiscard]] VolumeMesh read(const std::string& content) const {
    // A new file each time: some file systems wait for the disk when one is cut to nothing and written anew.
    const std::filesystem::path file = folder_ / name_;
    std::filesystem::remove(file);
    std::ofstream(file, std::ios::binary) << content;
    return read_mesh(file);
  }
  /// Expects an error whose message has every one of `parts`.
  template <class Expected = ParseError>
  void expect_error(const std::string& content, const std::vector<std::string>& parts) const {
    expect_error_of<Expected>([&] { (void)read(content); }, parts);
  }

  TemporaryFolder folder_;

 private:
  std::string name_;
};

/// The text with the first `from` replaced. @throws std::logic_error if there is none
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error(from);
  return text.replace(at, from.size(), to);
}

/// The text with every `from` replaced. @throws std::logic_error if there is none
inline std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error(from);
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

/// What holds for every mesh that a reader returns, whatever the file was: numbers of vertices and regions are good.
inline void expect_indices_in_range(const VolumeMesh& mesh) {
  for (const ElementBlock& block : mesh.blocks)
    for (const auto v : block.vertices) ASSERT_TRUE(v >= 0 && v < mesh.vertex_count());
  for (const auto& [name, set] : mesh.vertex_sets)
    for (const auto v : set) ASSERT_TRUE(v >= 0 && v < mesh.vertex_count());
  ASSERT_EQ(std::ssize(mesh.element_region), mesh.element_count());
  for (const auto region : mesh.element_region) ASSERT_TRUE(region >= -1 && region < std::ssize(mesh.regions));
}

/// How damaged files were taken: each as a mesh whose numbers are good, or refused.
struct DamagedReads {
  int read = 0, refused = 0;

  template <class Read>
  void take(const Read& read_mesh) {
    try {
      expect_indices_in_range(read_mesh());
      ++read;
    } catch (const Error&) {
      ++refused;
    }
  }
};

}  // namespace quartic::test
