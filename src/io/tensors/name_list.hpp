// Lists of names in metadata, where every entry is one text: a JSON array of strings.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace quartic::io {

/// A name that isn't UTF-8 is taken as Latin-1, so that different names stay so.
[[nodiscard]] std::string name_list_text(const std::vector<std::string>& names);

/// The names, or nothing if the text is something else.
[[nodiscard]] std::optional<std::vector<std::string>> parse_name_list(const std::string& text);

}  // namespace quartic::io
