// Files that commands read.
#pragma once

#include <string>

namespace quartic::cli {

/// True for the model file's container: eight bytes of header length, then a JSON object.
[[nodiscard]] bool looks_like_model(const std::string& path);

}  // namespace quartic::cli
