// What an Abaqus deck's keywords mean to a mesh that don't build it.
#pragma once

#include <string_view>

namespace quartic::io {

enum class KeywordRole {
  harmless,    ///< says nothing about the mesh, its materials or what holds it: passed over
  makes_mesh,  ///< makes nodes, elements or parts in a way that isn't known here: the deck is refused
  unknown      ///< anything else: passed over with a warning
};

/// @param name in upper case, without blanks
[[nodiscard]] KeywordRole abaqus_keyword_role(std::string_view name);

}  // namespace quartic::io
