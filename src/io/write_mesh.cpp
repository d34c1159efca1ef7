// write_mesh: chooses the format by the file's extension.
#include <string>

#include "io/mesh/mesh_writer.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace io {

// A new format is declared and listed here.
extern const MeshWriter gmsh_writer, vtu_writer, veg_writer;
static constexpr const MeshWriter* writers[] = {&gmsh_writer, &vtu_writer, &veg_writer};

}  // namespace io

std::vector<std::string> write_mesh(const VolumeMesh& mesh, const std::filesystem::path& path,
                                    const MeshFileOptions& options) {
  const std::string extension = path.extension().string();
  std::string known;
  for (const io::MeshWriter* writer : io::writers) {
    if (io::equal_ignoring_case(extension, writer->extension)) {
      writer->write(mesh, path, options);
      return writer->losses(mesh);
    }
    known += (known.empty() ? "" : ", ") + std::string(writer->extension);
  }
  throw InputError("can't write a mesh to '" + path.string() + "': its name must end in one of " + known);
}

}  // namespace quartic
