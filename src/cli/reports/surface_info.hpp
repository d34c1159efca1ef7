// What `quartic info` tells of a triangle mesh.
#pragma once

#include "cli/reports/mesh_info.hpp"

namespace quartic::cli {

/// Reads, checks and prints. @throws InputError for a file that can't be read, or, with --strict, with all warnings
void describe_surface(const InfoOptions& options);

}  // namespace quartic::cli
