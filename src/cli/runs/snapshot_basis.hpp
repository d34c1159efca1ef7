// Reduced models whose basis is cut from snapshots: `reduce --snapshots` and `sketch`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/body_options.hpp"
#include "quartic/model.hpp"
#include "quartic/snapshots.hpp"

namespace quartic::cli {

struct SnapshotBasisOptions {
  double separation = 0;  ///< as of select_separated
  std::optional<int> rank = {};
  MassMatrix mass_matrix = MassMatrix::consistent;
  bool region_parts = false;
  RelaxOptions relax = {};
  Backend backend = Backend::cpu;
  Progress progress = {};
};

/// How the basis came about.
struct SnapshotBasis {
  std::int64_t selected = 0;  ///< snapshots
  std::vector<double> singular_values;
  std::vector<std::string> warnings;
};

/// @throws InputError if the snapshots don't fit the mesh or move fixed vertices, or if an explicit rank is above
///         theirs
[[nodiscard]] ReducedModel reduce_with_snapshots(const PreparedBody& body, const Snapshots& snapshots,
                                                 const SnapshotBasisOptions& options, SnapshotBasis& basis);

/// "all but 0.07 % of the selected ones at rank 12; 1 % is left at 8, 0.01 % at 14", in squares of the mass norm
[[nodiscard]] std::string captured_text(const SnapshotBasis& basis, int rank);

}  // namespace quartic::cli
