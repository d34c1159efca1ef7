// Reduced models whose basis is cut from snapshots: `reduce --snapshots` and `sketch`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/body_options.hpp"
#include "quartic/model.hpp"
#include "quartic/snapshots.hpp"

namespace quartic::cli {

struct SnapshotBasisOptions {
  double separation = 0;  ///< as of select_separated
  std::optional<int> rank = {};
  MassMatrix mass_matrix = MassMatrix::consistent;
  bool region_parts = false;
  Progress progress = {};
};

/// How the basis came about.
struct SnapshotBasis {
  std::int64_t selected = 0;  ///< snapshots
  std::vector<double> singular_values;
  std::vector<std::string> warnings;
};

/// @param body prepared
/// @throws InputError if the snapshots don't fit the mesh or move fixed vertices, or if an explicit rank is above
///         theirs
[[nodiscard]] ReducedModel reduce_with_snapshots(const Body& body, const Snapshots& snapshots,
                                                 const SnapshotBasisOptions& options, SnapshotBasis& basis);

/// "all but 0.07 % at rank 12; 1 % is left at 8, 0.01 % at 14"
[[nodiscard]] std::string captured_text(const SnapshotBasis& basis, int rank);

}  // namespace quartic::cli
