// Named vertex sets, so that loads can be put on a reduced body by name. Whoever passes them over misses nothing of the
// body itself.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/model/model_sections.hpp"
#include "io/tensors/name_list.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"vertex_set_offsets", "vertex_set_vertices"};
constexpr std::string_view names_key = "vertex_sets", case_key = "vertex_sets_ignore_case";
constexpr std::string_view metadata[] = {names_key, case_key};

bool is_present(const ReducedModel& model) {
  return !model.mesh.vertex_sets.empty();
}

void check(const ReducedModel& model) {
  for (const auto& [name, set] : model.mesh.vertex_sets)
    require_fit(std::ranges::all_of(set, [&](std::int32_t v) { return v >= 0 && v < model.mesh.vertex_count(); }),
                "vertex set '" + name + "' must be of the mesh's vertices");
}

// Sets of any sizes in two tensors: where each begins, then the vertices of all.
void write(const ReducedModel& model, FileDraft& draft) {
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
  draft.metadata[std::string(names_key)] = name_list_text(names);
  if (model.mesh.names_ignore_case) draft.metadata[std::string(case_key)] = "true";
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  const auto offsets = file.values<std::int32_t>("vertex_set_offsets", 1);
  const auto vertices = file.values<std::int32_t>("vertex_set_vertices", 1);
  const auto names = parse_name_list(file.metadata_entry(std::string(names_key))).value_or(std::vector<std::string>());
  if (offsets.size() != names.size() + 1 || offsets.front() != 0 || offsets.back() != std::ssize(vertices) ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    file.fail("vertex_set_offsets must ascend from 0 to the number of vertex_set_vertices, by as many steps as '" +
              std::string(names_key) + "' has names");
  for (std::size_t s = 0; s < names.size(); ++s)
    model.mesh.vertex_sets[names[s]].assign(vertices.begin() + offsets[s], vertices.begin() + offsets[s + 1]);
  const auto ignored = file.metadata().find(std::string(case_key));
  model.mesh.names_ignore_case = ignored != file.metadata().end() && ignored->second == "true";
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
