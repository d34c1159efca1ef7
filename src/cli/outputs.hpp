// Output files, checked before the long work begins.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace quartic::cli {

/// @throws UsageError if the name doesn't end in one of the extensions (".qrt"), FileError if the folder is missing or
/// can't be written to
void require_output(const std::filesystem::path& path, std::initializer_list<std::string_view> extensions);

/// Size of a file that has been written, in bytes.
[[nodiscard]] double file_bytes(const std::filesystem::path& path);

}  // namespace quartic::cli
