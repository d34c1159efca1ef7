// Point caches of a moving body's surface: PC2 and MDD, each with the surface at rest as Wavefront OBJ beside it, in
// which programs look up what the cached points are.
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/motion/frame_times.hpp"
#include "io/motion/render_surface.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace {

/// Bytes of 32-bit numbers in one order, whatever this machine's is.
class Words {
 public:
  explicit Words(std::endian order) : order_(order) {}
  void add(std::uint32_t word) {
    for (int byte = 0; byte < 4; ++byte)
      bytes_ += static_cast<char>(word >> (8 * (order_ == std::endian::big ? 3 - byte : byte)) & 0xFFU);
  }
  void add(std::string_view text) { bytes_ += text; }
  void add(float number) { add(std::bit_cast<std::uint32_t>(number)); }
  void add(std::span<const float> numbers) {
    for (const float number : numbers) add(number);
  }
  void write(io::AtomicFile& file) {
    file.write(bytes_);
    bytes_.clear();
  }

 private:
  std::endian order_;
  std::string bytes_;
};

std::uint32_t counted(std::int64_t count, const char* what) {
  if (count > std::numeric_limits<std::int32_t>::max())
    throw InputError("a point cache can't count " + std::to_string(count) + " " + what);
  return static_cast<std::uint32_t>(count);
}

std::string surface_text(const io::SurfaceMotion& motion) {
  std::string text =
      std::string("# quartic ") + version + ": the surface of a body at rest, for a point cache\no body\n";
  const std::vector<float> rest = motion.rest();
  for (std::size_t i = 0; i < rest.size(); ++i) {
    text += i % 3 == 0 ? "v " : " ";
    io::append_number(text, rest[i]);
    if (i % 3 == 2) text += '\n';
  }
  const auto& triangles = motion.surface().triangles;
  for (std::size_t i = 0; i < triangles.size(); ++i)
    text += (i % 3 == 0 ? "f " : " ") + std::to_string(triangles[i] + 1) + (i % 3 == 2 ? "\n" : "");
  return text;
}

std::vector<std::string> write_cache(io::SurfaceMotion& motion, Words words, const std::filesystem::path& path) {
  std::filesystem::path surface_path = path;
  surface_path.replace_extension(".surface.obj");  // NAME.obj may be what the model was made from
  io::AtomicFile cache(path), surface(surface_path);
  words.write(cache);
  for (std::int64_t frame = 0; frame < motion.frames(); ++frame) {
    words.add(motion.positions(frame));
    words.write(cache);
  }
  surface.write(surface_text(motion));
  cache.flush();  // both are whole before one takes its place
  surface.flush();
  surface.commit();
  cache.commit();
  return motion.lost_precision(
      "write .glb or .usda, which hold an offset and displacements, or move the mesh towards the origin");
}

// Frame f of the animation is the time f spacing, so that one which starts late is shown late.
float start_frame(double start, double spacing) {
  if (spacing == 0) return 0;
  const double frame = start / spacing;
  const double whole = std::round(frame);
  return io::to_single(std::abs(frame - whole) <= 1e-3 ? whole : frame);
}

}  // namespace

std::vector<std::string> write_pc2(const ReducedModel& model, const Trajectory& trajectory,
                                   const std::filesystem::path& path) {
  io::require_ascending(trajectory.time);
  const auto spacing = io::even_spacing(trajectory.time);
  if (!spacing)
    throw InputError("'" + path.string() +
                     "': the frames' times aren't evenly spaced, which a .pc2 file demands; write an .mdd file");
  io::SurfaceMotion motion(model, trajectory, io::FileOrigin::of_mesh);
  Words head(std::endian::little);
  head.add(std::string_view("POINTCACHE2\0", 12));
  constexpr std::uint32_t format_version = 1;
  head.add(format_version);
  head.add(counted(motion.vertex_count(), "vertices"));
  head.add(start_frame(trajectory.time.front(), *spacing));
  head.add(1.0F);  // frames per sample
  head.add(counted(motion.frames(), "frames"));
  return write_cache(motion, head, path);
}

std::vector<std::string> write_mdd(const ReducedModel& model, const Trajectory& trajectory,
                                   const std::filesystem::path& path) {
  io::require_ascending(trajectory.time);
  io::SurfaceMotion motion(model, trajectory, io::FileOrigin::of_mesh);
  Words head(std::endian::big);
  head.add(counted(motion.frames(), "frames"));
  head.add(counted(motion.vertex_count(), "vertices"));
  head.add(io::single_precision_times(trajectory.time));
  return write_cache(motion, head, path);
}

}  // namespace quartic
