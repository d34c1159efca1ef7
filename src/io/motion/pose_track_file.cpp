// Poses at times: text lines `time,x,y,z,qx,qy,qz,qw`, or a node of a glTF file.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "io/gltf/gltf_pose_track.hpp"
#include "io/motion/table_lines.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/pose_track.hpp"

namespace quartic {
namespace {

constexpr const char* pose_columns[] = {"time", "x", "y", "z", "qx", "qy", "qz", "qw"};
constexpr const char* a_line = "a line is time,x,y,z or time,x,y,z,qx,qy,qz,qw";

class PoseTrackReader {
 public:
  explicit PoseTrackReader(std::string name) : name_(std::move(name)) {}

  PoseTrack read(std::string_view content) {
    io::for_each_line(
        content, pose_columns[0], line_, [&](io::Fields& fields) { require_names(fields); },
        [&](io::Fields& fields) { add(fields); });
    if (track_.times.empty()) fail("there are no poses; " + std::string(a_line));
    return std::move(track_);
  }

 private:
  void require_names(io::Fields& fields) {
    std::size_t count = 0;
    for (std::string_view name = fields.next(); !name.empty(); name = fields.next(), ++count)
      if (count >= std::size(pose_columns) || !equal_ignoring_case(name, pose_columns[count]))
        fail("the columns must be time,x,y,z or time,x,y,z,qx,qy,qz,qw in this order");
    require_count(count);
  }

  // All lines are of one kind.
  void require_count(std::size_t count) {
    if (count != 4 && count != std::size(pose_columns))
      fail("there are " + std::to_string(count) + " values; " + a_line);
    if (count_ != 0 && count != count_)
      fail("there are " + std::to_string(count) + " values, but " + std::to_string(count_) + " in the lines above");
    count_ = count;
  }

  void add(io::Fields& fields) {
    std::array<double, std::size(pose_columns)> values = {0, 0, 0, 0, 0, 0, 0, 1};
    std::size_t count = 0;
    for (std::string_view text = fields.next(); !text.empty(); text = fields.next(), ++count) {
      if (count >= values.size()) fail("there is " + io::quote(text) + " after the pose; " + a_line);
      const auto value = io::parse_number(text);
      if (!value) fail(std::string(pose_columns[count]) + " " + io::quote(text) + " is not a finite number");
      values[count] = *value;
    }
    require_count(count);
    if (!track_.times.empty() && values[0] <= track_.times.back()) fail("times must ascend");
    if (values[4] == 0 && values[5] == 0 && values[6] == 0 && values[7] == 0)
      fail("the quaternion 0,0,0,0 is no rotation; 0,0,0,1 (x, y, z, w) turns nothing");
    track_.times.push_back(values[0]);
    std::copy(values.begin() + 1, values.end(), track_.poses.emplace_back().begin());
  }

  [[noreturn]] void fail(const std::string& what) const { throw ParseError(name_, line_, what); }

  std::string name_;
  std::int64_t line_ = 0;
  std::size_t count_ = 0;  // of values in a line, once known
  PoseTrack track_;
};

}  // namespace

PoseTrack read_pose_track(const std::filesystem::path& path, const std::string& node) {
  io::MeshFile file{path, io::read_file(path)};
  if (io::is_gltf(file.content)) return io::read_gltf_pose_track(file, node);
  if (!node.empty()) throw InputError(path.string() + " is no glTF file, whose nodes have names; leave the node out");
  return PoseTrackReader(path.string()).read(file.content);
}

}  // namespace quartic
