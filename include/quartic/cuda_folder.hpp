// For packages that bring the library of the CUDA backend in a folder of their own.
#pragma once

#include <filesystem>

#include "quartic/export.hpp"

namespace quartic {

/// Where libquartic_cuda is looked for first. Without, it is looked for beside libquartic, then where the system looks.
/// An empty path takes the folder back. @throws InputError if it has been opened from elsewhere already
QUARTIC_EXPORT void set_cuda_folder(const std::filesystem::path& folder);

}  // namespace quartic
