// read_triangle_mesh: asks every format of surfaces whether a file's content is its own.
#include "io/surface/surface_formats.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/surface.hpp"

namespace quartic {
namespace io {

// In the order in which they are asked. A new one is declared in surface_formats.hpp and listed here.
static constexpr const SurfaceFormat* surface_formats[] = {&ply_format, &stl_format, &gltf_format, &obj_format};

const SurfaceFormat* find_surface_format(const MeshFile& file) {
  for (const SurfaceFormat* format : surface_formats)
    if (format->recognises(file)) return format;
  return nullptr;
}

namespace {

[[noreturn]] void fail_unknown(const MeshFile& file) {
  if (trimmed(file.content).empty()) throw ParseError(file.path.string(), 0, "the file is empty");
  std::string names;
  for (const SurfaceFormat* format : surface_formats) names += (names.empty() ? "" : ", ") + std::string(format->name);
  throw ParseError(file.path.string(), 0, "this is no triangle mesh that quartic reads (known formats: " + names + ")");
}

}  // namespace
}  // namespace io

bool looks_like_triangle_mesh(const std::filesystem::path& path) {
  try {
    return io::find_surface_format({path, io::read_file(path)}) != nullptr;
  } catch (const FileError&) {
    return false;
  }
}

TriangleMesh read_triangle_mesh(const std::filesystem::path& path) {
  const io::MeshFile file{path, io::read_file(path)};
  const io::SurfaceFormat* format = io::find_surface_format(file);
  if (format == nullptr) io::fail_unknown(file);
  TriangleMesh mesh = format->read(file);
  if (mesh.triangles.empty()) throw ParseError(path.string(), 0, "there are no triangles in this file");
  return mesh;
}

}  // namespace quartic
