// Reduced coordinates over time: one body's part; files .qtraj (safetensors) and .csv.
#include <array>
#include <charconv>
#include <string>

#include "core/frame/recorded_poses.hpp"
#include "io/files/atomic_file.hpp"
#include "io/model/trajectory_sections.hpp"
#include "io/tensors/schema.hpp"
#include "quartic/error.hpp"
#include "quartic/trajectory.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace io {
namespace {

// A new section is declared in trajectory_sections.hpp and listed here.
constexpr const TrajectorySection* all_trajectory_sections[] = {&motion_section, &modal_section, &warp_section,
                                                                &flags_section, &pose_section};

// Files of schema 1 don't say that they are trajectories.
constexpr FileKind trajectory_kind = {.noun = "trajectory", .schema_key = "quartic_trajectory", .foreign = nullptr};

}  // namespace

TrajectorySections trajectory_sections() {
  return all_trajectory_sections;
}

void write_trajectory(const Trajectory& trajectory, const std::filesystem::path& path, TrajectorySections known) {
  check_sections(known, trajectory);
  FileDraft draft;
  set_schema(draft.metadata, trajectory_kind, write_sections(known, trajectory, draft));
  draft.metadata["quartic_version"] = version;
  draft.write(path);
}

Trajectory read_trajectory(const std::filesystem::path& path, TrajectorySections known) {
  const SafetensorsFile file(path);
  const auto required = require_known_schema(file, trajectory_kind, section_names(known));
  Trajectory trajectory;
  read_sections(known, file, required, trajectory);
  try {
    check_sections(known, trajectory);
  } catch (const InputError& error) {
    file.fail(error.what());
  }
  return trajectory;
}

Trajectory cut_to_body(const Trajectory& trajectory, std::int64_t body, TrajectorySections known) {
  check_sections(known, trajectory);
  if (body < 0 || body >= trajectory.bodies)
    throw InputError("there is no body " + std::to_string(body) + ": the trajectory has " +
                     std::to_string(trajectory.bodies) + ", and the first is body 0");
  Trajectory part;
  for (const TrajectorySection* section : known) section->cut_to_body(trajectory, body, part);
  return part;
}

}  // namespace io

namespace {

// 17 significant digits name every double exactly.
void append_number(std::string& text, double value) {
  std::array<char, 32> digits{};
  const auto result =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 17);
  text.append(digits.data(), result.ptr);
}

// Body 0's numbers of a frame, which come first.
void append_row(std::string& text, const Trajectory& trajectory, const std::vector<double>& values, std::int64_t size,
                std::int64_t frame) {
  const double* row = values.data() + frame * trajectory.bodies * size;
  for (std::int64_t i = 0; i < size; ++i) {
    text += ',';
    append_number(text, row[i]);
  }
}

}  // namespace

void save_trajectory(const Trajectory& trajectory, const std::filesystem::path& path) {
  io::write_trajectory(trajectory, path, io::trajectory_sections());
}

Trajectory load_trajectory(const std::filesystem::path& path) {
  return io::read_trajectory(path, io::trajectory_sections());
}

Trajectory body_trajectory(const Trajectory& trajectory, std::int64_t body) {
  return io::cut_to_body(trajectory, body, io::trajectory_sections());
}

void write_csv(const Trajectory& trajectory, const std::filesystem::path& path) {
  io::check_sections(io::trajectory_sections(), trajectory);
  std::string text = "time";
  for (std::int64_t i = 0; i < trajectory.rank; ++i) text += ",q" + std::to_string(i);
  if (trajectory.flies()) text += ",x,y,z,qx,qy,qz,qw";
  text += '\n';
  io::AtomicFile file(path);
  for (std::int64_t frame = 0; frame < trajectory.frames(); ++frame) {
    append_number(text, trajectory.time[static_cast<std::size_t>(frame)]);
    append_row(text, trajectory, trajectory.q, trajectory.rank, frame);
    if (trajectory.flies()) append_row(text, trajectory, trajectory.pose, pose_size, frame);
    text += '\n';
    file.write(text);
    text.clear();
  }
  file.write(text);  // the header of a trajectory without frames
  file.commit();
}

}  // namespace quartic
