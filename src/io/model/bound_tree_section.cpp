// Contact points and their bound tree. It belongs to one basis and one surface: a program that doesn't know it keeps it
// when it edits the model. Then it is left out with a notice, since `bound_tree` makes it anew from both. Points are
// kept as places on triangles; what is read must be a tree whose spheres hold them.
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fnv1a.hpp"
#include "core/contact/place_points.hpp"
#include "core/frame/moments_fingerprint.hpp"
#include "core/surface/drawn_surface.hpp"
#include "core/surface/embedding_check.hpp"
#include "io/model/model_sections.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"contact_triangles", "contact_weights", "contact_areas", "bound_nodes",
                                        "bound_sphere",      "bound_centre",    "bound_affine",  "bound_residual"};
constexpr const char* fingerprint_key = "bound_tree_of";
constexpr const char* surface_key = "bound_tree_surface";
constexpr std::string_view metadata[] = {fingerprint_key, surface_key};

// FNV-1a of the arrays of the surface that the model is drawn by, each behind its length.
std::string surface_fingerprint(const SurfaceEmbedding& surface) {
  std::uint64_t hash = fnv1a_start;
  const auto add = [&](const auto& values) {
    const std::int64_t count = std::ssize(values);
    hash = fnv1a(std::as_bytes(std::span(&count, 1)), hash);
    hash = fnv1a(std::as_bytes(std::span(values)), hash);
  };
  add(surface.vertices);
  add(surface.triangles);
  add(surface.volume_vertices);
  add(surface.weights);
  return hash_text(hash);
}

bool is_present(const ReducedModel& model) {
  return model.bound_tree.has_value();
}

void check(const ReducedModel& model) {
  if (!model.bound_tree) return;
  const BoundTree& tree = *model.bound_tree;
  require_fit(tree.rank == model.rank(), "bound_tree must have the basis' rank; make it again with bound_tree");
  require_sound(tree);
  ContactPoints placed = {.triangles = tree.points.triangles, .weights = tree.points.weights};
  place_points(drawn_surface(model), model, placed);
  require_fit(placed.positions == tree.points.positions && placed.basis.values == tree.points.basis.values,
              "bound_tree is of another surface or basis; make it again with bound_tree or refitted");
}

void write(const ReducedModel& model, FileDraft& draft) {
  const BoundTree& tree = *model.bound_tree;
  const std::int64_t p = tree.points.count(), n = tree.node_count(), r = tree.rank;
  std::vector<std::int32_t> nodes;
  for (const BoundNode& node : tree.nodes)
    nodes.insert(nodes.end(), {node.first_child, node.children, node.first_point, node.points});
  draft.add("contact_triangles", {p}, tree.points.triangles);
  draft.add("contact_weights", {p, 3}, tree.points.weights);
  draft.add("contact_areas", {p}, tree.points.areas);
  draft.add_computed("bound_nodes", {n, 4}, std::move(nodes));
  draft.add("bound_sphere", {n, 4}, tree.rest_spheres);
  draft.add("bound_centre", {n, 3, r}, tree.centre_fields);
  draft.add("bound_affine", {n, 3, 3, r}, tree.affine_fields);
  draft.add("bound_residual", {n, r}, tree.residuals);
  set_basis_fingerprint(draft, fingerprint_key, model);
  draft.metadata[surface_key] = surface_fingerprint(drawn_surface(model));
}

void require_shape(const SafetensorsFile& file, const std::string& name, const std::vector<std::int64_t>& shape) {
  for (std::size_t d = 0; d < shape.size(); ++d) file.require_size(name, d, shape[d]);
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  BoundTree tree;
  tree.rank = model.rank();
  tree.points.triangles = file.values<std::int32_t>("contact_triangles", 1);
  tree.points.weights = file.values<double>("contact_weights", 2);
  tree.points.areas = file.values<double>("contact_areas", 1);
  const auto nodes = file.values<std::int32_t>("bound_nodes", 2);
  tree.rest_spheres = file.values<double>("bound_sphere", 2);
  tree.centre_fields = file.values<double>("bound_centre", 3);
  tree.affine_fields = file.values<double>("bound_affine", 4);
  tree.residuals = file.values<double>("bound_residual", 2);
  const std::int64_t p = file.size("contact_triangles", 0), n = file.size("bound_nodes", 0);
  require_shape(file, "contact_weights", {p, 3});
  require_shape(file, "contact_areas", {p});
  require_shape(file, "bound_nodes", {n, 4});
  const std::int64_t r = file.size("bound_residual", 1);
  require_shape(file, "bound_sphere", {n, 4});
  require_shape(file, "bound_centre", {n, 3, r});
  require_shape(file, "bound_affine", {n, 3, 3, r});
  require_shape(file, "bound_residual", {n, r});
  for (std::size_t i = 0; i < nodes.size(); i += 4)
    tree.nodes.push_back({nodes[i], nodes[i + 1], nodes[i + 2], nodes[i + 3]});
  try {
    const SurfaceEmbedding surface = drawn_surface(model);
    const bool own_basis = is_basis_fingerprint(file.metadata_entry(fingerprint_key), model),
               own_surface = file.metadata_entry(surface_key) == surface_fingerprint(surface);
    if (!own_basis || !own_surface) {
      const std::string what = own_basis ? "surface" : "basis";
      model.notices.push_back("the bound tree in the file is of another " + what +
                              " and was left out, as a program leaves it behind that changed the " + what +
                              " and doesn't know the tree; make it again with bound_tree");
      return;
    }
    require_sound_embedding(surface, model.mesh.vertex_count());
    place_points(surface, model, tree.points);
    tree.moments_fingerprint = short_fingerprint(model.frame_moments);
  } catch (const InputError& error) {
    file.fail(error.what());
  }
  model.bound_tree = std::move(tree);
}

}  // namespace

const ModelSection bound_tree_section = {.name = "bound_tree",
                                         .tensors = tensors,
                                         .metadata = metadata,
                                         .key_tensor = "bound_nodes",
                                         .is_present = is_present,
                                         .check = check,
                                         .write = write,
                                         .read = read};

}  // namespace quartic::io
