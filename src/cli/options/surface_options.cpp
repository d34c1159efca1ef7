#include "cli/options/surface_options.hpp"

#include <limits>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/values/numbers.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

TriangleMesh read_surface(const std::string& path, std::vector<std::string>& warnings) {
  TriangleMesh surface = read_triangle_mesh(path);
  warnings.insert(warnings.end(), surface.warnings.begin(), surface.warnings.end());
  return surface;
}

SurfaceBasis parse_basis(const std::string& name) {
  if (name.empty()) return SurfaceBasis::none;
  return name == "half" ? SurfaceBasis::half : SurfaceBasis::single;
}

}  // namespace

void add_surface_options(CLI::App& command, SurfaceOptions& options) {
  const auto group = "Surface to draw";
  CLI::Option* file =
      command
          .add_option("--surface", options.file,
                      "Triangle mesh (OBJ, PLY, STL, glTF) that moves with the body and is drawn in its place; of a "
                      "mesh made by --voxels the triangle mesh itself, unless another is named")
          ->group(group);
  command.add_flag("--no-surface", options.none, "Draw the boundary of the volume mesh")->excludes(file)->group(group);
  command
      .add_option("--surface-basis", options.basis,
                  "Also store the surface's basis in the model file, for engines: half or single precision")
      ->check(CLI::IsMember({"half", "single"}))
      ->group(group);
}

std::vector<std::string> input_files(const SurfaceOptions& options) {
  return options.file.empty() ? std::vector<std::string>{} : std::vector{options.file};
}

EmbeddedSurface embed_surface(const SurfaceOptions& options, const Body& body) {
  EmbeddedSurface embedded;
  if (options.none || (options.file.empty() && !body.surface)) {
    if (!options.basis.empty())
      throw UsageError("--surface-basis needs a surface: name one with --surface, or start from one with --voxels");
    return embedded;
  }
  std::vector<std::string> warnings;
  EmbedOptions embed_options;
  TriangleMesh named;
  if (!options.file.empty())
    named = read_surface(options.file, warnings);
  else
    embed_options.max_distance = std::numeric_limits<double>::infinity();  // of parts that --largest-part left out
  VolumeMesh mesh = body.mesh;
  std::vector<std::string> told_by_reduce;
  static_cast<void>(prepare_mesh(mesh, {}, told_by_reduce));
  try {
    embedded.surface =
        quartic::embed_surface(mesh, options.file.empty() ? *body.surface : named, embed_options, &embedded.report);
  } catch (const InputError& error) {
    if (options.file.empty()) throw;
    throw InputError(options.file + ": " + error.what());
  }
  embedded.basis = parse_basis(options.basis);
  embedded.report.warnings.insert(embedded.report.warnings.begin(), warnings.begin(), warnings.end());
  return embedded;
}

void give_surface(EmbeddedSurface embedded, ReducedModel& model) {
  model.surface = std::move(embedded.surface);
  model.surface_basis = embedded.basis;
}

std::string surface_text(const SurfaceEmbedding& surface, const EmbedReport& report) {
  std::string text = counted(surface.vertex_count(), "vertex", "vertices") + ", " +
                     counted(surface.triangle_count(), "triangle", "triangles");
  if (report.outside > 0) text += ", " + counted(report.outside, "vertex", "vertices") + " outside the volume";
  if (report.largest_distance > 0) text += " by up to " + significant(report.largest_distance, 3) + " m";
  return text;
}

nlohmann::json surface_json(const std::optional<SurfaceEmbedding>& surface, const EmbedReport& report) {
  if (!surface) return nullptr;
  return {{"vertices", surface->vertex_count()},
          {"triangles", surface->triangle_count()},
          {"outside", report.outside},
          {"largest_distance", report.largest_distance}};
}

}  // namespace quartic::cli
