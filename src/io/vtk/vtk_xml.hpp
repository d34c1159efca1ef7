// Text of names in VTK's XML files.
#pragma once

#include <string>
#include <string_view>

namespace quartic::io {

/// The text as it stands between the quotation marks of an attribute. What XML can't hold (control characters, bytes
/// that aren't UTF-8) becomes `?`.
[[nodiscard]] std::string xml_attribute(std::string_view text);

/// The text without what XML can't hold.
[[nodiscard]] std::string xml_characters(std::string_view text);

}  // namespace quartic::io
