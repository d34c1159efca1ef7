// Output files, checked before the long work begins.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic::cli {

/// @throws UsageError if the name doesn't end in one of the extensions (".qrt"), FileError if the folder is missing or
/// can't be written to; the same for the folder of a series' frames (".pvd")
void require_output(const std::filesystem::path& path, std::initializer_list<std::string_view> extensions);

/// @throws UsageError if two outputs are the same file, or an output is one of the inputs, however they are spelt
void require_distinct(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// @throws UsageError if an output is one of the files that the mesh was read from, as are those that a deck includes
void require_not_read(const std::vector<std::string>& outputs, const VolumeMesh& mesh);

/// Size of a file that has been written, in bytes.
[[nodiscard]] double file_bytes(const std::filesystem::path& path);

/// "beam.csv, 1.2 kB"; of a series also where its frames are.
[[nodiscard]] std::string written_text(const std::filesystem::path& path);

}  // namespace quartic::cli
