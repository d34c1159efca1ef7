#include "cli/reports/outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "cli/options/arguments.hpp"
#include "cli/values/numbers.hpp"
#include "core/base/memory.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

// The frames of a series lie in a folder of its name.
void require_frames_folder(std::filesystem::path path) {
  const std::string series = path.string();
  path.replace_extension();
  if (!std::filesystem::exists(path)) return;
  if (!std::filesystem::is_directory(path))
    throw FileError(series + ": its frames go into the folder '" + path.string() + "', but that is a file");
  if (access(path.c_str(), W_OK) != 0)
    throw FileError(series + ": can't write in '" + path.string() + "': " + std::strerror(errno));
}

}  // namespace

void require_output(const std::filesystem::path& path, std::initializer_list<std::string_view> extensions) {
  const std::string extension = path.extension().string();
  if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end()) {
    std::string known;
    for (const std::string_view e : extensions) known += (known.empty() ? "" : ", ") + std::string(e);
    throw UsageError("output '" + path.string() + "': the name must end in " + known);
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(folder))
    throw FileError(path.string() + ": there is no folder '" + folder.string() + "'; make it first");
  if (std::filesystem::is_directory(path)) throw FileError(path.string() + ": this is a folder, not a file");
  if (access(folder.c_str(), W_OK) != 0)
    throw FileError(path.string() + ": can't write in '" + folder.string() + "': " + std::strerror(errno));
  if (extension == ".pvd") require_frames_folder(path);
}

namespace {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (std::filesystem::equivalent(a, b, ignored)) return true;
  const auto resolved = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path), ignored);
  };
  return resolved(a) == resolved(b);
}

/// True for a file that writing the series would replace: one of the frames `NAME/NAME_0000.vtu`, ... of `NAME.pvd`.
bool is_frame(const std::filesystem::path& file, const std::filesystem::path& series) {
  if (series.extension() != ".pvd" || file.extension() != ".vtu") return false;
  std::filesystem::path folder = series;
  folder.replace_extension();
  const std::filesystem::path parent = file.has_parent_path() ? file.parent_path() : ".";
  return same_file(parent.string(), folder.string()) &&
         file.filename().string().starts_with(folder.filename().string() + "_");
}

}  // namespace

void require_distinct(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(outputs[i], outputs[j])) throw UsageError("the output '" + outputs[i] + "' is named twice");
    for (const std::string& input : inputs)
      if (same_file(outputs[i], input) || is_frame(input, outputs[i]))
        throw UsageError("the output '" + outputs[i] + "' would overwrite the input '" + input + "'");
  }
}

void require_not_read(const std::vector<std::string>& outputs, const VolumeMesh& mesh) {
  for (const std::string& output : outputs)
    for (const std::filesystem::path& source : mesh.source_files)
      if (same_file(output, source.string()) || is_frame(source, output))
        throw UsageError("the output '" + output + "' would overwrite '" + source.string() +
                         "', which the mesh was read from");
}

double file_bytes(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<double>(size);
}

std::string written_text(const std::filesystem::path& path) {
  std::string text = path.string() + ", " + bytes_text(file_bytes(path));
  std::filesystem::path folder = path;
  if (path.extension() == ".pvd") text += ", and its frames in " + folder.replace_extension().string() + "/";
  return text;
}

}  // namespace quartic::cli
