// Series for ParaView (.pvd): an XML list of times and of the .vtu file of each.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/numbered_files.hpp"
#include "io/motion/render_surface.hpp"
#include "io/text/text.hpp"
#include "io/vtk/vtk_xml.hpp"
#include "io/vtk/vtu_file.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/snapshots.hpp"
#include "quartic/trajectory.hpp"

namespace quartic {
namespace {

void require_times(const std::vector<double>& times) {
  if (times.empty()) throw InputError("a .pvd series needs at least one frame");
  if (!std::all_of(times.begin(), times.end(), [](double t) { return std::isfinite(t); }))
    throw InputError("a frame's time isn't a finite number");
}

std::string collection_text(const io::NumberedFiles& frames, const std::string& folder,
                            const std::vector<double>& times) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n";
  for (std::size_t frame = 0; frame < times.size(); ++frame)
    text += "    <DataSet timestep=\"" + io::format_number(times[frame]) + "\" group=\"\" part=\"0\" file=\"" +
            io::xml_attribute(folder + "/" + frames.name(static_cast<std::int64_t>(frame))) + "\"/>\n";
  return text + "  </Collection>\n</VTKFile>\n";
}

/// @param displacement of a frame, shape (3n), valid until the next call
void write_series(const VolumeMesh& mesh, const std::vector<double>& times,
                  const std::function<std::span<const double>(std::int64_t)>& displacement,
                  const std::filesystem::path& path) {
  require_times(times);
  std::filesystem::path folder = path;
  folder.replace_extension();
  if (folder == path)
    throw InputError("'" + path.string() + "': the name must end in .pvd, since the frames' folder is named without");
  io::NumberedFiles frames(folder, ".vtu", std::ssize(times));
  for (std::size_t frame = 0; frame < times.size(); ++frame) {
    const NamedField field{"displacement", displacement(static_cast<std::int64_t>(frame))};
    const io::FieldData time{"TimeValue", {times[frame]}};  // for those who open the frames without the list
    io::write_vtu_file(mesh, frames.next(), {&field, 1}, {&time, 1});
  }
  io::AtomicFile collection(path);
  collection.write(collection_text(frames, folder.filename().string(), times));
  collection.flush();
  frames.commit();
  collection.commit();
}

// Frames repeat the mesh, but not what colours nothing that moves.
VolumeMesh without_materials(VolumeMesh mesh) {
  for (Region& region : mesh.regions) region.material.reset();
  return mesh;
}

}  // namespace

void write_pvd(const ReducedModel& model, const Trajectory& trajectory, const std::filesystem::path& path) {
  io::require_fitting(model, trajectory);
  Eigen::VectorXd u(model.basis.rows);
  const auto displacement = [&](std::int64_t frame) {
    const double* first_body = trajectory.q.data() + frame * trajectory.bodies * trajectory.rank;
    u.noalias() = model.basis.map() * Eigen::Map<const Eigen::VectorXd>(first_body, trajectory.rank);
    return std::span<const double>(u.data(), static_cast<std::size_t>(u.size()));
  };
  write_series(without_materials(model.mesh), trajectory.time, displacement, path);
}

void write_pvd(const VolumeMesh& mesh, const Snapshots& snapshots, const std::filesystem::path& path) {
  if (std::ssize(snapshots.time) != snapshots.count())
    throw InputError("there are " + std::to_string(snapshots.time.size()) + " times, but " +
                     std::to_string(snapshots.count()) + " snapshots");
  const auto displacement = [&](std::int64_t frame) { return snapshots.displacements.col(frame); };
  write_series(without_materials(mesh), snapshots.time, displacement, path);
}

}  // namespace quartic
