// Series for ParaView (.pvd): an XML list of times and of the .vtu file of each.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/frame/posed_points.hpp"
#include "core/frame/recorded_poses.hpp"
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
#include "quartic/warping.hpp"

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

/// @param fields of a frame, shape (3n) each, valid until the next call
void write_series(const VolumeMesh& mesh, const std::vector<double>& times,
                  const std::function<std::vector<NamedField>(std::int64_t)>& fields,
                  const std::filesystem::path& path) {
  require_times(times);
  std::filesystem::path folder = path;
  folder.replace_extension();
  if (folder == path)
    throw InputError("'" + path.string() + "': the name must end in .pvd, since the frames' folder is named without");
  io::NumberedFiles frames(folder, ".vtu", std::ssize(times));
  for (std::size_t frame = 0; frame < times.size(); ++frame) {
    const io::FieldData time{"TimeValue", {times[frame]}};  // for those who open the frames without the list
    io::write_vtu_file(mesh, frames.next(), fields(static_cast<std::int64_t>(frame)), {&time, 1});
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

/// Where a flying body's vertices are.
class FlyingVertices {
 public:
  FlyingVertices(const ReducedModel& model, const Trajectory& trajectory)
      : rest_(model.mesh.vertices),
        poses_(pose_path(trajectory.pose, trajectory.bodies, 0)),
        centre_(io::mass_centre(model)),
        deformation_(rest_.size()),
        displacement_(rest_.size()) {}

  /// @param u of the frame, in body axes
  [[nodiscard]] std::vector<NamedField> fields(std::int64_t frame, const Eigen::VectorXd& u) {
    const frame::Pose<double>& pose = poses_[static_cast<std::size_t>(frame)];
    std::copy(u.begin(), u.end(), deformation_.begin());
    std::transform(rest_.begin(), rest_.end(), u.begin(), displacement_.begin(), std::plus());
    move_points(pose, centre_, displacement_);
    std::transform(displacement_.begin(), displacement_.end(), rest_.begin(), displacement_.begin(), std::minus());
    turn_vectors(pose.rotation, deformation_);
    return {{"displacement", displacement_}, {"deformation", deformation_}};
  }

 private:
  const std::vector<double>& rest_;
  std::vector<frame::Pose<double>> poses_;
  std::array<double, 3> centre_;
  std::vector<double> deformation_, displacement_;
};

}  // namespace

void write_pvd(const ReducedModel& model, const Trajectory& trajectory, const std::filesystem::path& path) {
  io::require_fitting(model, trajectory);
  std::optional<FlyingVertices> flying;
  if (trajectory.flies()) flying.emplace(model, trajectory);
  const std::unique_ptr<BodyShape> shape = body_shape(model, trajectory.warp);
  Eigen::VectorXd u(model.basis.rows);
  const auto fields = [&](std::int64_t frame) -> std::vector<NamedField> {
    const double* first_body = trajectory.q.data() + frame * trajectory.bodies * trajectory.rank;
    shape->displacements({first_body, static_cast<std::size_t>(trajectory.rank)},
                         {u.data(), static_cast<std::size_t>(u.size())});
    if (flying) return flying->fields(frame, u);
    return {{"displacement", {u.data(), static_cast<std::size_t>(u.size())}}};
  };
  write_series(without_materials(model.mesh), trajectory.time, fields, path);
}

void write_pvd(const VolumeMesh& mesh, const Snapshots& snapshots, const std::filesystem::path& path) {
  if (std::ssize(snapshots.time) != snapshots.count())
    throw InputError("there are " + std::to_string(snapshots.time.size()) + " times, but " +
                     std::to_string(snapshots.count()) + " snapshots");
  const auto fields = [&](std::int64_t frame) -> std::vector<NamedField> {
    return {{"displacement", snapshots.displacements.col(frame)}};
  };
  write_series(without_materials(mesh), snapshots.time, fields, path);
}

}  // namespace quartic
