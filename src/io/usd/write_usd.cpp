// USD's text format (.usda) of a moving body: its surface, which UsdSkel's blend shapes deform, with weights between 0
// and 1, or whose points are sampled frame by frame. Of a body far from the origin, /body is translated by the offset.
//
// Names of prims are constants, whatever the file is called. There are no normals, so that renderers take the deformed
// faces' own.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "io/files/atomic_file.hpp"
#include "io/motion/frame_times.hpp"
#include "io/motion/render_surface.hpp"
#include "io/motion/shape_weights.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace {

constexpr std::string_view identity_matrix = "( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )";

/// Least and greatest coordinates.
using Extent = std::array<float, 6>;

Extent extent_of(std::span<const float> positions) {
  Extent extent{};
  for (std::size_t c = 0; c < 3; ++c) extent[c] = extent[3 + c] = positions.empty() ? 0 : positions[c];
  for (std::size_t i = 0; i < positions.size(); ++i) {
    extent[i % 3] = std::min(extent[i % 3], positions[i]);
    extent[3 + i % 3] = std::max(extent[3 + i % 3], positions[i]);
  }
  return extent;
}

/// `[item 0, item 1, ...]`
template <class AppendItem>
void append_list(std::string& text, std::size_t count, const AppendItem& append_item) {
  text += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    append_item(i);
  }
  text += ']';
}

void append_vectors(std::string& text, std::span<const float> values) {
  append_list(text, values.size() / 3, [&](std::size_t i) {
    text += '(';
    io::append_number(text, values[3 * i]);
    text += ", ";
    io::append_number(text, values[3 * i + 1]);
    text += ", ";
    io::append_number(text, values[3 * i + 2]);
    text += ')';
  });
}

std::string vectors_text(std::span<const float> values) {
  std::string text;
  append_vectors(text, values);
  return text;
}

std::string repeated_text(std::size_t count, char digit) {
  std::string text;
  append_list(text, count, [&](std::size_t) { text += digit; });
  return text;
}

std::string indices_text(const std::vector<std::uint32_t>& indices) {
  std::string text;
  append_list(text, indices.size(), [&](std::size_t i) { text += std::to_string(indices[i]); });
  return text;
}

/// `[Xq0Y, Xq1Y, ...]`, names of the blend shapes with what stands before and after each.
std::string shape_names_text(std::int64_t rank, std::string_view before, std::string_view after) {
  std::string text;
  append_list(text, static_cast<std::size_t>(rank),
              [&](std::size_t i) { text.append(before).append("q" + std::to_string(i)).append(after); });
  return text;
}

std::vector<float> in_single_precision(std::span<const double> values, double factor = 1) {
  std::vector<float> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [&](double x) { return io::to_single(factor * x); });
  return result;
}

/// Where /body stands, in double precision.
std::string origin_text(const std::array<double, 3>& origin) {
  if (origin == std::array<double, 3>{}) return "";
  return "    double3 xformOp:translate = (" + io::format_number(origin[0]) + ", " + io::format_number(origin[1]) +
         ", " + io::format_number(origin[2]) + ")\n    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n";
}

/// The stage's metadata.
std::string head_text(const io::TimeCodes& times) {
  const std::string rate = io::format_number(times.per_second);
  return std::string("#usda 1.0\n(\n    defaultPrim = \"body\"\n    doc = \"quartic ") + version +
         ": the surface of a moving body\"\n    endTimeCode = " + io::format_number(times.codes.back()) +
         "\n    framesPerSecond = " + rate +
         "\n    metersPerUnit = 1\n    startTimeCode = " + io::format_number(times.codes.front()) +
         "\n    timeCodesPerSecond = " + rate + "\n    upAxis = \"Z\"\n)\n\n";
}

/// `ATTRIBUTE.timeSamples`, of which one is in memory at a time.
template <class AppendValue>
void write_samples(io::AtomicFile& file, std::string_view indent, std::string_view attribute,
                   const io::TimeCodes& times, const AppendValue& append_value) {
  std::string text = std::string(indent) + std::string(attribute) + ".timeSamples = {\n";
  for (std::size_t frame = 0; frame < times.codes.size(); ++frame) {
    text.append(indent).append("    ").append(io::format_number(times.codes[frame])).append(": ");
    append_value(text, frame);
    text += ",\n";
    file.write(text);
    text.clear();
  }
  file.write(std::string(indent) + "}\n");
}

/// @param points where nothing moves them
void write_surface(io::AtomicFile& file, const io::RenderSurface& surface, std::span<const float> points) {
  file.write("        uniform bool doubleSided = 1\n        int[] faceVertexCounts = " +
             repeated_text(surface.triangles.size() / 3, '3') + "\n        int[] faceVertexIndices = " +
             indices_text(surface.triangles) + "\n        point3f[] points = " + vectors_text(points) +
             "\n        uniform token subdivisionScheme = \"none\"\n");
}

/// What ties the surface to its shapes. UsdSkel wants a skeleton: every vertex is its only joint's, which stays at
/// rest.
std::string binding_text(std::size_t vertices, std::int64_t rank) {
  const std::string all_vertices =
      " (\n            elementSize = 1\n            interpolation = \"vertex\"\n        )\n";
  return "        matrix4d primvars:skel:geomBindTransform = " + std::string(identity_matrix) +
         "\n        int[] primvars:skel:jointIndices = " + repeated_text(vertices, '0') + all_vertices +
         "        float[] primvars:skel:jointWeights = " + repeated_text(vertices, '1') + all_vertices +
         "        uniform token[] skel:blendShapes = " + shape_names_text(rank, "\"", "\"") +
         "\n        rel skel:blendShapeTargets = " + shape_names_text(rank, "</body/surface/", ">") +
         "\n        rel skel:skeleton = </body/skeleton>\n";
}

std::string skeleton_text() {
  const std::string transforms = "Transforms = [" + std::string(identity_matrix) + "]\n";
  return "\n    def Skeleton \"skeleton\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {\n"
         "        uniform matrix4d[] bind" +
         transforms + "        uniform token[] joints = [\"root\"]\n        uniform matrix4d[] rest" + transforms +
         "        rel skel:animationSource = </body/motion>\n    }\n";
}

/// A basis field as a shape, and the coordinates that its weights 0 and 1 stand for.
std::string blend_shape_text(std::int64_t number, std::span<const double> field, const io::WeightRange& range) {
  return "\n        def BlendShape \"q" + std::to_string(number) +
         "\"\n        {\n            uniform vector3f[] offsets = " +
         vectors_text(in_single_precision(field, range.length())) + "\n            custom double2 quartic:range = (" +
         io::format_number(range.from) + ", " + io::format_number(range.to) + ")\n        }\n";
}

void write_blend_shapes(io::SurfaceMotion& motion, io::AtomicFile& file) {
  const io::TimeCodes times = io::time_codes(motion.time());
  const std::vector<io::WeightRange> ranges = io::weight_ranges(motion);
  const std::vector<float> points = in_single_precision(io::weightless_positions(motion, ranges));
  const std::int64_t rank = motion.basis().cols;
  file.write(head_text(times));
  file.write("def SkelRoot \"body\" (\n    prepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{\n" +
             origin_text(motion.surface().origin));
  write_samples(file, "    ", "float3[] extent", times, [&](std::string& text, std::size_t frame) {
    append_vectors(text, extent_of(motion.positions(static_cast<std::int64_t>(frame))));
  });
  file.write("\n    def Mesh \"surface\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {\n");
  file.write("        float3[] extent = " + vectors_text(extent_of(points)) + '\n');
  write_surface(file, motion.surface(), points);
  file.write(binding_text(points.size() / 3, rank));
  for (std::int64_t i = 0; i < rank; ++i)
    file.write(blend_shape_text(i, motion.basis().col(i), ranges[static_cast<std::size_t>(i)]));
  file.write("    }\n" + skeleton_text());
  file.write("\n    def SkelAnimation \"motion\"\n    {\n        uniform token[] blendShapes = " +
             shape_names_text(rank, "\"", "\"") + '\n');
  write_samples(file, "        ", "float[] blendShapeWeights", times, [&](std::string& text, std::size_t frame) {
    const auto q = motion.q(static_cast<std::int64_t>(frame));
    append_list(text, q.size(), [&](std::size_t i) { io::append_number(text, ranges[i].weight(q[i])); });
  });
  file.write("    }\n}\n");
}

void write_points(io::SurfaceMotion& motion, io::AtomicFile& file) {
  const io::TimeCodes times = io::time_codes(motion.time());
  std::vector<Extent> extents;
  file.write(head_text(times));
  file.write("def Xform \"body\"\n{\n" + origin_text(motion.surface().origin) + "    def Mesh \"surface\"\n    {\n");
  write_surface(file, motion.surface(), motion.rest());
  write_samples(file, "        ", "point3f[] points", times, [&](std::string& text, std::size_t frame) {
    const auto positions = motion.positions(static_cast<std::int64_t>(frame));
    extents.push_back(extent_of(positions));
    append_vectors(text, positions);
  });
  write_samples(file, "        ", "float3[] extent", times,
                [&](std::string& text, std::size_t frame) { append_vectors(text, extents[frame]); });
  file.write("    }\n}\n");
}

}  // namespace

std::vector<std::string> write_usd(const ReducedModel& model, const Trajectory& trajectory,
                                   const std::filesystem::path& path, UsdMotion usd_motion) {
  io::require_ascending(trajectory.time);
  io::SurfaceMotion motion(model, trajectory, io::FileOrigin::near_surface);
  io::AtomicFile file(path);
  if (usd_motion == UsdMotion::points)
    write_points(motion, file);
  else
    write_blend_shapes(motion, file);
  file.commit();
  if (usd_motion == UsdMotion::blend_shapes) return {};  // these hold displacements beside positions
  return motion.lost_precision("write blend shapes, which hold displacements on their own");
}

}  // namespace quartic
