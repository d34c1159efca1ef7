// Tables as text: a line per row, the first of which may name the columns.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/letters.hpp"
#include "io/text/text.hpp"

namespace quartic::io {

/// @param first_column the name by which the line of names is known
/// @param number set to that of the line before its fields are given to `names` or `row`
template <class Names, class Row>
void for_each_line(std::string_view content, std::string_view first_column, std::int64_t& number, const Names& names,
                   const Row& row) {
  Lines lines(content);
  std::string_view line;
  for (bool first = true; lines.next(line); first = false) {
    number = lines.number();
    Fields fields(line);
    if (first && equal_ignoring_case(Fields(line).next(), first_column))
      names(fields);
    else
      row(fields);
  }
}

}  // namespace quartic::io
