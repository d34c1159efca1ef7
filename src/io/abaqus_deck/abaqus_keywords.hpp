// What an Abaqus deck's keywords mean to a mesh that don't build it.
#pragma once

#include <cstdint>
#include <string_view>

namespace quartic::io {

enum class KeywordRole : std::uint8_t {
  harmless,    ///< says nothing about the body, or belongs to what is told elsewhere: passed over
  makes_mesh,  ///< makes nodes, elements or parts in a way that isn't known here: the deck is refused
  left_out,    ///< makes a difference to the body: passed over, and told
  unknown      ///< anything else: likewise, but in steps, which have much that asks for output alone
};

struct KeywordMeaning {
  KeywordRole role = KeywordRole::unknown;
  std::string_view consequence;  ///< for the body, if what it asks for is left out; else empty
};

/// @param name in upper case, without blanks
[[nodiscard]] KeywordMeaning abaqus_keyword_meaning(std::string_view name);

}  // namespace quartic::io
