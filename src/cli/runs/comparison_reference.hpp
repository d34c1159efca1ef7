// The unreduced body's part of a comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/runs/comparison.hpp"

namespace quartic::cli {

struct ReferenceOptions {
  MotionOptions motion = {};
  std::optional<std::int32_t> vertex = {};  ///< to watch; else the first loaded one, or the most displaced one
};

struct Reference {
  Yardstick yardstick;
  std::vector<double> load;  ///< that an equilibrium was sought for, shape (3n)
  std::string factorization;
  std::vector<std::string> warnings;
};

/// Where the unreduced body rests under the load as it is at time 0. @throws NumericalError if it can't hold it
[[nodiscard]] Reference find_equilibrium(const ReducedModel& model, const SparseMatrix& mass, const Scene& scene,
                                         const ReferenceOptions& options, const Progress& progress);

/// How it moves. @throws NumericalError if it diverges
[[nodiscard]] Reference find_motion(const ReducedModel& model, const SparseMatrix& mass, const Scene& scene,
                                    const ReferenceOptions& options, const Progress& progress);

}  // namespace quartic::cli
