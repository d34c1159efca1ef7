// read_mesh: asks every format whether a file's content is its own.
#include <cstddef>
#include <string>
#include <vector>

#include "io/abaqus/abaqus_format.hpp"
#include "io/foreign_formats.hpp"
#include "io/gmsh/gmsh_format.hpp"
#include "io/mesh/mesh_formats.hpp"
#include "io/surface/surface_format.hpp"
#include "io/text/text.hpp"
#include "io/usd/usda_format.hpp"
#include "io/vega/vega_formats.hpp"
#include "io/vtk/vtk_formats.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace io {

// The formats, in the order in which they are asked. A new one is declared in its folder's header and listed here.
static constexpr const MeshFormat* formats[] = {&veg_format,  &vegb_format,   &gmsh_format,  &vtk_format,
                                                &vtu_format,  &medit_format,  &mfem_format,  &tet_file_format,
                                                &usda_format, &abaqus_format, &tetgen_format};

namespace {

std::string known_formats() {
  std::string names;
  for (const MeshFormat* format : formats) names += (names.empty() ? "" : ", ") + std::string(format->name);
  return names;
}

std::filesystem::path file_to_open(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return path;
  for (const MeshFormat* format : formats) {
    if (format->file_of_stem == nullptr) continue;
    if (auto file = format->file_of_stem(path); !file.empty()) return file;
  }
  return path;
}

void warn_of_equal_names(VolumeMesh& mesh) {
  const std::vector<std::string> names = distinct_region_names(mesh);
  std::size_t count = 0, first = 0;
  for (std::size_t r = names.size(); r-- > 0;) {
    if (names[r] == mesh.regions[r].name) continue;
    ++count;
    first = r;
  }
  if (count == 0) return;
  const std::string& name = mesh.regions[first].name;
  mesh.warnings.push_back(std::to_string(count) + " regions share their name with others: `--materials` tells them " +
                          "apart as " + quote(name + "#1") + ", " + quote(name + "#2") + ", ...; " + quote(name) +
                          " means all of that name");
}

}  // namespace
}  // namespace io

VolumeMesh read_mesh(const std::filesystem::path& path) {
  io::MeshFile file{io::file_to_open(path), {}};
  file.content = io::read_file(file.path);
  for (const io::MeshFormat* format : io::formats) {
    if (!format->recognises(file.content)) continue;
    VolumeMesh mesh = format->read(file);
    mesh.source_files.insert(mesh.source_files.begin(), file.path);
    io::warn_of_equal_names(mesh);
    return mesh;
  }
  std::string what = "this is no mesh format that quartic reads";
  if (io::trimmed(file.content).empty()) {
    what = "the file is empty";
  } else if (const auto name = io::foreign_format_name(file.content); !name.empty()) {
    what += "; it looks like " + std::string(name);
    if (io::find_surface_format(file) != nullptr) what += ", which voxelize makes a volume mesh of (`--voxels`)";
  }
  throw ParseError(path.string(), 0, what + " (known formats: " + io::known_formats() + ")");
}

}  // namespace quartic
