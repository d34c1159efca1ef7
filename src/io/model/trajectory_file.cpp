// Reduced coordinates over time: one body's part; files .qtraj (safetensors) and .csv.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "io/files/atomic_file.hpp"
#include "io/model/safetensors.hpp"
#include "quartic/error.hpp"
#include "quartic/trajectory.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace {

void require_consistent(const Trajectory& trajectory) {
  if (trajectory.bodies < 1 || trajectory.rank < 1)
    throw InputError("a trajectory needs at least one body and one reduced coordinate");
  std::int64_t numbers = trajectory.frames();
  if (__builtin_mul_overflow(numbers, trajectory.bodies, &numbers) ||
      __builtin_mul_overflow(numbers, trajectory.rank, &numbers) || numbers != std::ssize(trajectory.q))
    throw InputError("the trajectory's q must have frames x bodies x rank numbers");
  if (std::ssize(trajectory.status) != trajectory.bodies)
    throw InputError("the trajectory's status must have one entry per body");
}

// 17 significant digits name every double exactly.
void append_number(std::string& text, double value) {
  std::array<char, 32> digits{};
  const auto result =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 17);
  text.append(digits.data(), result.ptr);
}

}  // namespace

void save_trajectory(const Trajectory& trajectory, const std::filesystem::path& path) {
  require_consistent(trajectory);
  std::vector<std::int32_t> status(trajectory.status.size());
  std::transform(trajectory.status.begin(), trajectory.status.end(), status.begin(),
                 [](BodyStatus s) { return static_cast<std::int32_t>(s); });
  const auto frames = trajectory.frames();
  io::write_safetensors(path,
                        {io::tensor_view("time", {frames}, trajectory.time),
                         io::tensor_view("q", {frames, trajectory.bodies, trajectory.rank}, trajectory.q),
                         io::tensor_view("status", {trajectory.bodies}, status)},
                        {{"quartic_version", version}});
}

Trajectory load_trajectory(const std::filesystem::path& path) {
  const io::SafetensorsFile file(path);
  Trajectory trajectory;
  trajectory.time = file.values<double>("time", 1);
  trajectory.q = file.values<double>("q", 3);
  trajectory.bodies = file.size("q", 1);
  trajectory.rank = file.size("q", 2);
  if (file.size("q", 0) != trajectory.frames())
    file.fail("'q' has " + std::to_string(file.size("q", 0)) + " frames, but 'time' has " +
              std::to_string(trajectory.frames()));
  for (const auto status : file.values<std::int32_t>("status", 1)) {
    if (status < 0 || status > static_cast<std::int32_t>(BodyStatus::diverged))
      file.fail("'status' has the unknown value " + std::to_string(status));
    trajectory.status.push_back(static_cast<BodyStatus>(status));
  }
  try {
    require_consistent(trajectory);
  } catch (const InputError& error) {
    file.fail(error.what());
  }
  return trajectory;
}

void write_csv(const Trajectory& trajectory, const std::filesystem::path& path) {
  require_consistent(trajectory);
  std::string text = "time";
  for (std::int64_t i = 0; i < trajectory.rank; ++i) text += ",q" + std::to_string(i);
  text += '\n';
  io::AtomicFile file(path);
  for (std::int64_t frame = 0; frame < trajectory.frames(); ++frame) {
    append_number(text, trajectory.time[static_cast<std::size_t>(frame)]);
    const double* q = trajectory.q.data() + frame * trajectory.bodies * trajectory.rank;  // body 0 comes first
    for (std::int64_t i = 0; i < trajectory.rank; ++i) {
      text += ',';
      append_number(text, q[i]);
    }
    text += '\n';
    file.write(text);
    text.clear();
  }
  file.write(text);  // the header of a trajectory without frames
  file.commit();
}

Trajectory body_trajectory(const Trajectory& trajectory, std::int64_t body) {
  require_consistent(trajectory);
  if (body < 0 || body >= trajectory.bodies)
    throw InputError("there is no body " + std::to_string(body) + ": the trajectory has " +
                     std::to_string(trajectory.bodies) + ", and the first is body 0");
  Trajectory result{.bodies = 1,
                    .rank = trajectory.rank,
                    .time = trajectory.time,
                    .status = {trajectory.status[static_cast<std::size_t>(body)]}};
  result.q.reserve(static_cast<std::size_t>(trajectory.frames() * trajectory.rank));
  for (std::int64_t frame = 0; frame < trajectory.frames(); ++frame) {
    const auto first = trajectory.q.begin() + (frame * trajectory.bodies + body) * trajectory.rank;
    result.q.insert(result.q.end(), first, first + trajectory.rank);
  }
  return result;
}

}  // namespace quartic
