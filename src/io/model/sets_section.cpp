// Named vertex sets and loads, so that loads can be put on a reduced body by name. Whoever passes them over misses
// nothing of the body itself.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "io/model/model_sections.hpp"
#include "io/model/name_list.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"vertex_set_offsets", "vertex_set_vertices", "load_set_offsets",
                                        "load_set_vertices",  "load_set_forces",     "load_set_gravity"};
constexpr std::string_view vertex_names = "vertex_sets", load_names = "load_sets", case_key = "set_names_ignore_case";
constexpr std::string_view metadata[] = {vertex_names, load_names, case_key};

bool is_present(const ReducedModel& model) {
  return !model.mesh.vertex_sets.empty() || !model.mesh.load_sets.empty();
}

bool is_finite(const std::array<double, 3>& vector) {
  return std::ranges::all_of(vector, [](double x) { return std::isfinite(x); });
}

void check(const ReducedModel& model) {
  const auto is_vertex = [&](std::int32_t v) { return v >= 0 && v < model.mesh.vertex_count(); };
  for (const auto& [name, set] : model.mesh.vertex_sets)
    require_fit(std::ranges::all_of(set, is_vertex), "vertex set '" + name + "' must be of the mesh's vertices");
  for (const auto& [name, loads] : model.mesh.load_sets)
    require_fit(is_finite(loads.gravity) && std::ranges::all_of(loads.forces,
                                                                [&](const PointForce& at) {
                                                                  return is_vertex(at.vertex) && is_finite(at.force);
                                                                }),
                "loads '" + name + "' must be finite and at the mesh's vertices");
}

void write_vertex_sets(const ReducedModel& model, FileDraft& draft) {
  std::vector<std::int32_t> offsets = {0}, vertices;
  std::vector<std::string> names;
  for (const auto& [name, set] : model.mesh.vertex_sets) {
    vertices.insert(vertices.end(), set.begin(), set.end());
    offsets.push_back(static_cast<std::int32_t>(vertices.size()));
    names.push_back(name);
  }
  const auto count = std::ssize(vertices), ends = std::ssize(offsets);
  draft.add_computed("vertex_set_offsets", {ends}, std::move(offsets));
  draft.add_computed("vertex_set_vertices", {count}, std::move(vertices));
  draft.metadata[std::string(vertex_names)] = name_list_text(names);
}

void write_load_sets(const ReducedModel& model, FileDraft& draft) {
  std::vector<std::int32_t> offsets = {0}, vertices;
  std::vector<double> forces, gravity;
  std::vector<std::string> names;
  for (const auto& [name, loads] : model.mesh.load_sets) {
    for (const PointForce& at : loads.forces) {
      vertices.push_back(at.vertex);
      forces.insert(forces.end(), at.force.begin(), at.force.end());
    }
    offsets.push_back(static_cast<std::int32_t>(vertices.size()));
    gravity.insert(gravity.end(), loads.gravity.begin(), loads.gravity.end());
    names.push_back(name);
  }
  const auto count = std::ssize(vertices), sets = std::ssize(names);
  draft.add_computed("load_set_offsets", {sets + 1}, std::move(offsets));
  draft.add_computed("load_set_vertices", {count}, std::move(vertices));
  draft.add_computed("load_set_forces", {count, 3}, std::move(forces));
  draft.add_computed("load_set_gravity", {sets, 3}, std::move(gravity));
  draft.metadata[std::string(load_names)] = name_list_text(names);
}

void write(const ReducedModel& model, FileDraft& draft) {
  write_vertex_sets(model, draft);
  if (!model.mesh.load_sets.empty()) write_load_sets(model, draft);
  if (model.mesh.names_ignore_case) draft.metadata[std::string(case_key)] = "true";
}

/// Where each of as many parts as there are names begins and ends among `count` entries.
struct Parts {
  std::vector<std::string> names;
  std::vector<std::int32_t> offsets;
};

Parts read_parts(const SafetensorsFile& file, std::string_view key, const std::string& tensor, std::size_t count) {
  Parts parts{parse_name_list(file.metadata_entry(std::string(key))).value_or(std::vector<std::string>()),
              file.values<std::int32_t>(tensor, 1)};
  const auto& offsets = parts.offsets;
  if (offsets.size() != parts.names.size() + 1 || offsets.front() != 0 ||
      offsets.back() != static_cast<std::int64_t>(count) || !std::is_sorted(offsets.begin(), offsets.end()))
    file.fail(tensor + " must ascend from 0 to the number of entries, by as many steps as '" + std::string(key) +
              "' has names");
  return parts;
}

void read_load_sets(const SafetensorsFile& file, ReducedModel& model) {
  const auto vertices = file.values<std::int32_t>("load_set_vertices", 1);
  const auto forces = file.values<double>("load_set_forces", 2);
  const auto gravity = file.values<double>("load_set_gravity", 2);
  const Parts parts = read_parts(file, load_names, "load_set_offsets", vertices.size());
  if (forces.size() != 3 * vertices.size() || gravity.size() != 3 * parts.names.size())
    file.fail("load_set_forces must have three numbers per vertex, and load_set_gravity per set");
  for (std::size_t s = 0; s < parts.names.size(); ++s) {
    Loads& loads = model.mesh.load_sets[parts.names[s]];
    std::copy_n(gravity.begin() + 3 * static_cast<std::ptrdiff_t>(s), 3, loads.gravity.begin());
    for (auto i = static_cast<std::size_t>(parts.offsets[s]); i < static_cast<std::size_t>(parts.offsets[s + 1]); ++i)
      loads.forces.push_back({vertices[i], {forces[3 * i], forces[3 * i + 1], forces[3 * i + 2]}});
  }
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  const auto vertices = file.values<std::int32_t>("vertex_set_vertices", 1);
  const Parts parts = read_parts(file, vertex_names, "vertex_set_offsets", vertices.size());
  for (std::size_t s = 0; s < parts.names.size(); ++s)
    model.mesh.vertex_sets[parts.names[s]].assign(vertices.begin() + parts.offsets[s],
                                                  vertices.begin() + parts.offsets[s + 1]);
  if (file.find("load_set_offsets") != nullptr) read_load_sets(file, model);
  model.mesh.names_ignore_case = file.metadata().contains(std::string(case_key));
}

}  // namespace

const ModelSection sets_section = {.name = "sets",
                                   .tensors = tensors,
                                   .metadata = metadata,
                                   .key_tensor = "vertex_set_offsets",
                                   .is_present = is_present,
                                   .check = check,
                                   .write = write,
                                   .read = read};

}  // namespace quartic::io
