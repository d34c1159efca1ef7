// Names formats that quartic doesn't read, so that an error can say what a file is.
#pragma once

#include <string_view>

namespace quartic::io {

/// "Gmsh", "VTK", "Abaqus", ... if the content looks like one of them; empty otherwise.
[[nodiscard]] std::string_view foreign_format_name(std::string_view content);

}  // namespace quartic::io
