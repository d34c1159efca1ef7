#include "io/tensors/schema.hpp"

#include <algorithm>

#include "io/tensors/name_list.hpp"
#include "io/text/text.hpp"
#include "quartic/version.hpp"

namespace quartic::io {
namespace {

std::int64_t schema_of(const SafetensorsFile& file, const FileKind& kind) {
  const auto entry = file.metadata().find(kind.schema_key);
  if (entry == file.metadata().end()) {
    if (kind.foreign != nullptr) file.fail(kind.foreign);
    return 1;
  }
  const auto schema = parse_integer(entry->second);
  if (!schema || *schema < 1) file.fail(std::string(kind.schema_key) + " is " + quote(entry->second));
  return *schema;
}

// Quoted, the first few of them.
std::string unknown_names(const std::vector<std::string>& required, std::span<const std::string_view> known) {
  constexpr int limit = 5;
  std::string names;
  int count = 0;
  for (const std::string& name : required) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (++count > limit) return names + ", ...";
    names += (names.empty() ? "" : ", ") + quote(name);
  }
  return names;
}

}  // namespace

void set_schema(std::map<std::string, std::string>& metadata, const FileKind& kind,
                const std::vector<std::string>& required) {
  if (!required.empty()) {
    metadata[kind.schema_key] = std::to_string(newest_schema);
    metadata[requires_key] = name_list_text(required);
  } else if (kind.foreign != nullptr) {
    metadata[kind.schema_key] = "1";
  }
}

std::vector<std::string> require_known_schema(const SafetensorsFile& file, const FileKind& kind,
                                              std::span<const std::string_view> known) {
  const auto schema = schema_of(file, kind);
  const std::string noun = kind.noun;
  if (schema > newest_schema)
    file.fail("the " + noun + " was written by a newer version of quartic (schema " + std::to_string(schema) +
              "; this version, " + version + ", reads up to " + std::to_string(newest_schema) + "); update quartic");
  const auto entry = file.metadata().find(requires_key);
  if (entry == file.metadata().end()) {
    if (schema > 1) file.fail("the metadata lack 'requires', which schema " + std::to_string(schema) + " has");
    return {};
  }
  const auto required = parse_name_list(entry->second);
  if (!required) file.fail("the metadata entry 'requires' is no list of names: " + quote(entry->second));
  if (const std::string missing = unknown_names(*required, known); !missing.empty())
    file.fail("the " + noun + " needs " + missing + ", which this version of quartic (" + version +
              ") doesn't know; update quartic");
  return *required;
}

}  // namespace quartic::io
