// What a part of an object is to the object's file. A new capability is one file that defines a `FileSection`, its
// declaration in the header of that kind of file's sections, and its place in the list of model_file.cpp or
// trajectory_file.cpp.
//
// Coordinates that aren't `q` of the basis go into a tensor of another name, and not into `q` with a note: then a
// program that doesn't read the note refuses the file, and doesn't draw the wrong thing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/tensors/file_draft.hpp"
#include "io/tensors/safetensors.hpp"

namespace quartic::io {

template <class Object>
struct FileSection {
  std::string_view name;  ///< of the capability, as `requires` lists it
  /// A program that doesn't know this section would misread a file that has it: such a file is of schema 2.
  bool is_required = false;
  std::span<const std::string_view> tensors;        ///< names that are this section's, in no other
  std::span<const std::string_view> metadata = {};  ///< likewise
  /// The tensor without which a file has none of this section's; empty: every file has the section.
  std::string_view key_tensor = {};
  /// Whether the object has what the section writes; null: always.
  bool (*is_present)(const Object& object) = nullptr;
  /// What an object to be written and one just read must fulfil. @throws InputError
  void (*check)(const Object& object);
  /// Only of what is present and has passed all checks.
  void (*write)(const Object& object, FileDraft& draft);
  /// Only of files that have the key tensor; sections before this one in the list have been read. How the object's
  /// parts fit together is for `check`, but what is read takes no more memory than the file. @throws ParseError
  void (*read)(const SafetensorsFile& file, Object& object);
  /// Of objects of several bodies: puts one body's part of `whole` into `part`. Null for others.
  void (*cut_to_body)(const Object& whole, std::int64_t body, Object& part) = nullptr;
};

/// All sections of a kind of file, in the order in which their tensors are listed.
template <class Object>
using FileSections = std::span<const FileSection<Object>* const>;

template <class Object>
void check_sections(FileSections<Object> sections, const Object& object) {
  for (const auto* section : sections) section->check(object);
}

/// Names of the sections that a reader must know.
template <class Object>
[[nodiscard]] std::vector<std::string> write_sections(FileSections<Object> sections, const Object& object,
                                                      FileDraft& draft) {
  std::vector<std::string> required;
  for (const auto* section : sections) {
    if (section->is_present != nullptr && !section->is_present(object)) continue;
    section->write(object, draft);
    if (section->is_required) required.emplace_back(section->name);
  }
  return required;
}

/// @param required names of the capabilities that the file requires: each must be there
template <class Object>
void read_sections(FileSections<Object> sections, const SafetensorsFile& file, const std::vector<std::string>& required,
                   Object& object) {
  for (const auto* section : sections) {
    if (section->key_tensor.empty() || file.find(std::string(section->key_tensor)) != nullptr) {
      section->read(file, object);
      continue;
    }
    if (std::find(required.begin(), required.end(), section->name) != required.end())
      file.fail("the file requires '" + std::string(section->name) + "', but has no '" +
                std::string(section->key_tensor) + "'");
    for (const auto name : section->tensors)
      if (file.find(std::string(name)) != nullptr)
        file.fail("there is '" + std::string(name) + "', but no '" + std::string(section->key_tensor) + "'");
  }
}

template <class Object>
[[nodiscard]] std::vector<std::string_view> section_names(FileSections<Object> sections) {
  std::vector<std::string_view> names;
  for (const auto* section : sections) names.push_back(section->name);
  return names;
}

/// Whether a tensor belongs to one of the sections.
template <class Object>
[[nodiscard]] bool has_tensor(FileSections<Object> sections, std::string_view name) {
  return std::any_of(sections.begin(), sections.end(), [&](const auto* section) {
    return std::find(section->tensors.begin(), section->tensors.end(), name) != section->tensors.end();
  });
}

/// Whether an entry of the metadata does.
template <class Object>
[[nodiscard]] bool has_metadata(FileSections<Object> sections, std::string_view key) {
  return std::any_of(sections.begin(), sections.end(), [&](const auto* section) {
    return std::find(section->metadata.begin(), section->metadata.end(), key) != section->metadata.end();
  });
}

}  // namespace quartic::io
