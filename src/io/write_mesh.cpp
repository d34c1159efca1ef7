// write_mesh: chooses the format by the file's extension.
#include <string>

#include "io/gmsh/gmsh_format.hpp"
#include "io/text/text.hpp"
#include "io/vega/vega_formats.hpp"
#include "io/vtk/vtk_formats.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace io {

// A new format is declared in its folder's header and listed here.
static constexpr const MeshWriter* writers[] = {&gmsh_writer, &vtu_writer, &veg_writer};

static bool has_attachments(const VolumeMesh& mesh) {
  return !mesh.support_sets.empty() || !mesh.joints.empty() || !mesh.masses.empty() || !mesh.springs.empty();
}

}  // namespace io

std::vector<std::string> write_mesh(const VolumeMesh& mesh, const std::filesystem::path& path,
                                    const MeshFileOptions& options) {
  const std::string extension = path.extension().string();
  std::string known;
  for (const io::MeshWriter* writer : io::writers) {
    if (equal_ignoring_case(extension, writer->extension)) {
      writer->write(mesh, path, options);
      std::vector<std::string> losses = writer->losses(mesh);
      if (io::has_attachments(mesh))
        losses.push_back(
            "mesh files can't hold supports in directions, joints, masses and springs, which are left out");
      return losses;
    }
    known += (known.empty() ? "" : ", ") + std::string(writer->extension);
  }
  throw InputError("can't write a mesh to '" + path.string() + "': its name must end in one of " + known);
}

}  // namespace quartic
