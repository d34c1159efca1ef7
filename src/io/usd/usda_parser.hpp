// The syntax of USD's text files (.usda): prims, attributes, metadata, without what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/mesh_format.hpp"

namespace quartic::io {

/// A value: a number, a tuple, a list of either, or words. Brackets are left out: all numbers stand in one row.
struct UsdValue {
  std::vector<double> numbers;
  std::vector<std::string> words;  ///< strings, tokens, file names, paths, `None`
  std::size_t rows = 1;            ///< entries of the list; 1 where there is none
  std::size_t width = 0;           ///< numbers of each entry
};

struct UsdMetadata {
  std::string key;
  std::int64_t line = 0;
  UsdValue value;
};

/// An attribute, or a relationship, whose value is the paths of its targets.
struct UsdAttribute {
  std::string name;
  std::int64_t line = 0;
  UsdValue value;
  bool has_value = false;
  bool sampled = false;  ///< the value is that of the first of several times
  std::vector<UsdMetadata> metadata;
};

enum class UsdSpecifier : std::uint8_t { define, over, abstract, variant };

/// A prim, or one variant of a prim.
struct UsdPrim {
  UsdSpecifier specifier = UsdSpecifier::define;
  std::string type;  ///< may be empty
  std::string name;
  std::int64_t line = 0;
  std::vector<UsdMetadata> metadata;
  std::vector<UsdAttribute> attributes;  ///< and relationships, only those that were asked for
  std::vector<UsdPrim> children;

  /// The attribute of that name that has a value, or null; a value without time goes before one with.
  [[nodiscard]] const UsdAttribute* find_attribute(std::string_view name) const;
  [[nodiscard]] const UsdMetadata* find_metadata(std::string_view key) const;
};

/// Parses a whole file.
/// @param wanted tells by name which attributes and relationships to keep; the others are passed over
/// @return the root: the stage's metadata, and the prims as children
/// @throws ParseError with file and line
[[nodiscard]] UsdPrim parse_usda(const MeshFile& file, bool (*wanted)(std::string_view attribute));

}  // namespace quartic::io
