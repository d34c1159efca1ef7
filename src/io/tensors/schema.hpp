// Schemas of quartic's own files: whether a program knows all that it must know to use one.
//
// Schema 1 is what every version reads. A file of schema 2 has the metadata entry `requires`: a list of capabilities
// without which its content would be misread. A file that needs none stays of schema 1, byte for byte.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/tensors/safetensors.hpp"

namespace quartic::io {

inline constexpr int newest_schema = 2;
inline constexpr const char* requires_key = "requires";

/// A kind of file that has schemas.
struct FileKind {
  const char* noun;        ///< for messages: "model"
  const char* schema_key;  ///< the metadata entry that holds the schema
  const char* foreign;     ///< what a file without that entry is, a sentence; null: it is of schema 1
};

/// Puts the schema and what it requires into the metadata. @param required names of capabilities
void set_schema(std::map<std::string, std::string>& metadata, const FileKind& kind,
                const std::vector<std::string>& required);

/// @param known names of the capabilities that the reader has
/// @return what the file requires
/// @throws ParseError for a newer schema, for one that can't be, and for capabilities that aren't known, by their name
std::vector<std::string> require_known_schema(const SafetensorsFile& file, const FileKind& kind,
                                              std::span<const std::string_view> known);

}  // namespace quartic::io
