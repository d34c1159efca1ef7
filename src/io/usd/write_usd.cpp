// USD's text format (.usda) of moving bodies: their surface, which UsdSkel's blend shapes deform, with weights between
// 0 and 1, or whose points are sampled frame by frame. A flying body's pose is a transform over time. Of a body far
// from the origin, /body is translated by the offset.
//
// Names of prims are constants, whatever the file is called. There are no normals, so that renderers take the deformed
// faces' own. Several bodies refer to a class, /shape, and have of their own what moves them.
#include <string>
#include <string_view>

#include "io/files/atomic_file.hpp"
#include "io/motion/frame_times.hpp"
#include "io/motion/render_surface.hpp"
#include "io/motion/shape_weights.hpp"
#include "io/text/text.hpp"
#include "io/usd/usd_motion_text.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"

namespace quartic {
namespace {

using io::write_samples;

constexpr std::string_view identity_matrix = "( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )";

/// @param points where nothing moves them
void write_surface(io::AtomicFile& file, const io::RenderSurface& surface, std::span<const float> points) {
  file.write("        uniform bool doubleSided = 1\n        int[] faceVertexCounts = " +
             io::repeated_text(surface.triangles.size() / 3, '3') + "\n        int[] faceVertexIndices = " +
             io::indices_text(surface.triangles) + "\n        point3f[] points = " + io::vectors_text(points) +
             "\n        uniform token subdivisionScheme = \"none\"\n");
}

/// What ties the surface to its shapes. UsdSkel wants a skeleton: every vertex is its only joint's, which stays at
/// rest. @param root the path of the prim that holds all
std::string binding_text(std::size_t vertices, std::int64_t rank, const std::string& root) {
  const std::string all_vertices =
      " (\n            elementSize = 1\n            interpolation = \"vertex\"\n        )\n";
  return "        matrix4d primvars:skel:geomBindTransform = " + std::string(identity_matrix) +
         "\n        int[] primvars:skel:jointIndices = " + io::repeated_text(vertices, '0') + all_vertices +
         "        float[] primvars:skel:jointWeights = " + io::repeated_text(vertices, '1') + all_vertices +
         "        uniform token[] skel:blendShapes = " + io::shape_names_text(rank, "\"", "\"") +
         "\n        rel skel:blendShapeTargets = " + io::shape_names_text(rank, "<" + root + "/surface/", ">") +
         "\n        rel skel:skeleton = <" + root + "/skeleton>\n";
}

std::string skeleton_text(const std::string& root) {
  const std::string transforms = "Transforms = [" + std::string(identity_matrix) + "]\n";
  return "\n    def Skeleton \"skeleton\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {\n"
         "        uniform matrix4d[] bind" +
         transforms + "        uniform token[] joints = [\"root\"]\n        uniform matrix4d[] rest" + transforms +
         "        rel skel:animationSource = <" + root + "/motion>\n    }\n";
}

/// A basis field as a shape, and the coordinates that its weights 0 and 1 stand for.
std::string blend_shape_text(std::int64_t number, std::span<const double> field, const io::WeightRange& range) {
  return "\n        def BlendShape \"q" + std::to_string(number) +
         "\"\n        {\n            uniform vector3f[] offsets = " +
         io::vectors_text(io::in_single_precision(field, range.length())) +
         "\n            custom double2 quartic:range = " + io::tuple_text(std::array{range.from, range.to}) +
         "\n        }\n";
}

std::string body_name(std::int64_t body) {
  return "body_" + std::to_string(body);
}

/// Begins a body of several, whose parts are those of the class.
void begin_instance(io::AtomicFile& file, std::int64_t body) {
  file.write((body > 0 ? "\n    def \"" : "    def \"") + body_name(body) +
             "\" (\n        prepend references = </shape>\n    )\n    {\n");
}

/// Writes blend shapes. Each part of a prim is a function, since one body has them all in one prim, and several share
/// some.
class BlendShapeScene {
 public:
  BlendShapeScene(io::SurfaceMotion& motion, io::AtomicFile& file)
      : motion_(motion), file_(file), times_(io::time_codes(motion.time())), ranges_(io::weight_ranges(motion)) {}

  void write() {
    file_.write(io::head_text(times_, motion_.bodies() == 1 ? "body" : "bodies"));
    if (motion_.bodies() == 1)
      write_body();
    else
      write_bodies();
  }

 private:
  void write_body() {
    file_.write("def SkelRoot \"body\" (\n    prepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{\n");
    write_transform(0, "    ");
    write_shapes("/body");
    write_weights(0, "        ");
    file_.write("    }\n}\n");
  }

  void write_bodies() {
    file_.write("class SkelRoot \"shape\" (\n    prepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{");
    write_shapes("/shape");
    file_.write("    }\n}\n\ndef Xform \"bodies\"\n{\n");
    for (std::int64_t body = 0; body < motion_.bodies(); ++body) {
      begin_instance(file_, body);
      write_transform(body, "        ");
      file_.write("\n        over \"motion\"\n        {\n");
      write_weights(body, "            ");
      file_.write("        }\n    }\n");
    }
    file_.write("}\n");
  }

  void write_transform(std::int64_t body, const std::string& indent) {
    io::write_placement(file_, motion_, body, times_, indent);
    write_samples(file_, indent, "float3[] extent", times_, [&](std::string& text, std::size_t frame) {
      io::append_vectors(text, io::extent_of(motion_.positions(static_cast<std::int64_t>(frame), body)));
    });
  }

  /// Surface, skeleton, and the beginning of the animation.
  void write_shapes(const std::string& root) {
    const std::vector<float> points = io::in_single_precision(io::weightless_positions(motion_, ranges_));
    const std::int64_t rank = motion_.basis().cols;
    file_.write("\n    def Mesh \"surface\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {\n");
    file_.write("        float3[] extent = " + io::vectors_text(io::extent_of(points)) + '\n');
    write_surface(file_, motion_.surface(), points);
    file_.write(binding_text(points.size() / 3, rank, root));
    for (std::int64_t i = 0; i < rank; ++i)
      file_.write(blend_shape_text(i, motion_.basis().col(i), ranges_[static_cast<std::size_t>(i)]));
    file_.write("    }\n" + skeleton_text(root));
    file_.write("\n    def SkelAnimation \"motion\"\n    {\n        uniform token[] blendShapes = " +
                io::shape_names_text(rank, "\"", "\"") + '\n');
  }

  void write_weights(std::int64_t body, const std::string& indent) {
    write_samples(file_, indent, "float[] blendShapeWeights", times_, [&](std::string& text, std::size_t frame) {
      const auto q = motion_.q(static_cast<std::int64_t>(frame), body);
      io::append_list(text, q.size(), [&](std::size_t i) { io::append_number(text, ranges_[i].weight(q[i])); });
    });
  }

  io::SurfaceMotion& motion_;
  io::AtomicFile& file_;
  io::TimeCodes times_;
  std::vector<io::WeightRange> ranges_;
};

void write_point_samples(io::SurfaceMotion& motion, io::AtomicFile& file, const io::TimeCodes& times, std::int64_t body,
                         const std::string& indent) {
  std::vector<io::Extent> extents;
  write_samples(file, indent, "point3f[] points", times, [&](std::string& text, std::size_t frame) {
    const auto positions = motion.positions(static_cast<std::int64_t>(frame), body);
    extents.push_back(io::extent_of(positions));
    io::append_vectors(text, positions);
  });
  write_samples(file, indent, "float3[] extent", times,
                [&](std::string& text, std::size_t frame) { io::append_vectors(text, extents[frame]); });
}

void write_points(io::SurfaceMotion& motion, io::AtomicFile& file) {
  const io::TimeCodes times = io::time_codes(motion.time());
  const bool one = motion.bodies() == 1;
  file.write(io::head_text(times, one ? "body" : "bodies"));
  file.write(one ? "def Xform \"body\"\n{\n" : "class Xform \"shape\"\n{\n");
  if (one) io::write_placement(file, motion, 0, times, "    ");
  file.write("    def Mesh \"surface\"\n    {\n");
  write_surface(file, motion.surface(), motion.rest());
  if (one) write_point_samples(motion, file, times, 0, "        ");
  file.write("    }\n}\n");
  if (one) return;
  file.write("\ndef Xform \"bodies\"\n{\n");
  for (std::int64_t body = 0; body < motion.bodies(); ++body) {
    begin_instance(file, body);
    io::write_placement(file, motion, body, times, "        ");
    file.write("\n        over \"surface\"\n        {\n");
    write_point_samples(motion, file, times, body, "            ");
    file.write("        }\n    }\n");
  }
  file.write("}\n");
}

}  // namespace

std::vector<std::string> write_usd(const ReducedModel& model, const Trajectory& trajectory,
                                   const std::filesystem::path& path, UsdMotion usd_motion, SceneBodies bodies) {
  io::require_ascending(trajectory.time);
  io::SurfaceMotion motion(model, trajectory, io::FileOrigin::near_surface, io::shown_bodies(trajectory, bodies));
  if (usd_motion == UsdMotion::blend_shapes && !motion.is_linear())
    throw InputError("'" + path.string() +
                     "': blend shapes are sums of fields, which a warped motion isn't; write points (--usd points), or "
                     "a .glb, which holds a shape per frame");
  io::AtomicFile file(path);
  if (usd_motion == UsdMotion::points)
    write_points(motion, file);
  else
    BlendShapeScene(motion, file).write();
  file.commit();
  if (usd_motion == UsdMotion::blend_shapes) return {};  // these hold displacements beside positions
  return motion.lost_precision("write blend shapes, which hold displacements on their own");
}

}  // namespace quartic
