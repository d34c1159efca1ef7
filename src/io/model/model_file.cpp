// Model files (.qrt): a walk over their sections.
#include <algorithm>
#include <iterator>
#include <string>

#include "io/model/model_sections.hpp"
#include "io/tensors/schema.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/version.hpp"

namespace quartic {
namespace io {
namespace {

// A new section is declared in model_sections.hpp and listed here, behind those that it depends on.
constexpr const ModelSection* all_model_sections[] = {
    &mesh_section,    &material_section, &mode_section,     &supports_section,   &sets_section,
    &basis_section,   &energy_section,   &cubature_section, &relaxation_section, &region_parts_section,
    &moments_section, &chamber_section,  &surface_section,  &bound_tree_section};

constexpr FileKind model_kind = {
    .noun = "model",
    .schema_key = "quartic_schema",
    .foreign = "this safetensors file is no quartic model (its metadata lack 'quartic_schema'); is it a trajectory?"};

// What a section doesn't write.
constexpr std::string_view file_metadata[] = {model_kind.schema_key, requires_key, "quartic_version", "created_by"};

bool is_known_metadata(ModelSections known, std::string_view key) {
  return has_metadata(known, key) ||
         std::find(std::begin(file_metadata), std::end(file_metadata), key) != std::end(file_metadata);
}

void require_valid_unknown_tensors(const ReducedModel& model) {
  for (const auto& [name, tensor] : model.unknown_tensors) {
    auto bytes = static_cast<std::int64_t>(dtype_bytes(tensor.dtype));
    if (bytes == 0) continue;  // a dtype that only newer programs know
    bool fits = true;
    for (const auto size : tensor.shape) fits = fits && size >= 0 && !__builtin_mul_overflow(bytes, size, &bytes);
    require_fit(fits && bytes == std::ssize(tensor.data), "tensor '" + name + "' has data that don't fit its shape");
  }
}

void add_unknown(const ReducedModel& model, ModelSections known, FileDraft& draft) {
  for (const auto& [name, tensor] : model.unknown_tensors)
    if (!has_tensor(known, name)) draft.add({name, tensor.dtype, tensor.shape, tensor.data});
  for (const auto& [key, value] : model.unknown_metadata)
    if (!is_known_metadata(known, key)) draft.metadata[key] = value;
}

void keep_unknown(const SafetensorsFile& file, ModelSections known, ReducedModel& model) {
  for (const auto& [name, tensor] : file.tensors()) {
    if (has_tensor(known, name)) continue;
    const auto bytes = file.data(tensor);
    model.unknown_tensors[name] = {tensor.dtype, tensor.shape, {bytes.begin(), bytes.end()}};
  }
  for (const auto& [key, value] : file.metadata())
    if (!is_known_metadata(known, key)) model.unknown_metadata[key] = value;
}

}  // namespace

ModelSections model_sections() {
  return all_model_sections;
}

void write_model(const ReducedModel& model, const std::filesystem::path& path, ModelSections known) {
  check_sections(known, model);
  require_valid_unknown_tensors(model);
  FileDraft draft;
  set_schema(draft.metadata, model_kind, write_sections(known, model, draft));
  draft.metadata["quartic_version"] = version;
  draft.metadata["created_by"] = model.created_by;
  add_unknown(model, known, draft);
  draft.write(path);
}

ReducedModel read_model(const std::filesystem::path& path, ModelSections known) {
  const SafetensorsFile file(path);
  const auto required = require_known_schema(file, model_kind, section_names(known));
  ReducedModel model;
  if (const auto note = file.metadata().find("created_by"); note != file.metadata().end())
    model.created_by = note->second;
  read_sections(known, file, required, model);
  keep_unknown(file, known, model);
  try {
    check_sections(known, model);
  } catch (const ParseError&) {
    throw;
  } catch (const InputError& error) {
    file.fail(error.what());
  }
  return model;
}

}  // namespace io

void save_model(const ReducedModel& model, const std::filesystem::path& path) {
  io::write_model(model, path, io::model_sections());
}

ReducedModel load_model(const std::filesystem::path& path) {
  return io::read_model(path, io::model_sections());
}

}  // namespace quartic
