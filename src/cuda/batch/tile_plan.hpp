// How the bodies of a batch are cut into tiles, and the tiles into chunks that are stepped one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/base/devices.hpp"
#include "cuda/batch/steps/fused_shape.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/step_shape.hpp"
#include "quartic/batch.hpp"

namespace quartic::cuda {

/// Rows of 128 values that the tiles of a chunk take in each workspace array.
struct WorkspaceRows {
  std::int64_t points = 0, vectors = 0, h = 0, system = 0, strains = 0, frames = 0;
  std::int64_t damping = 0, middle_points = 0;  // as those of `h` and `points`, or none
};

/// Tiles that are at work together; all chunks share one workspace.
struct Chunk {
  StepShape shape;
  bool has_strain_form = false;          // models have, all of them or none: they have one evaluator
  std::optional<FusedShape> fused = {};  // of tiles of one rank that the fused kernel steps, without a workspace
};

/// How the bodies are to be stepped.
struct PlanOptions {
  Integrator integrator = Integrator::newmark;
  Fusing fusing = Fusing::never;
  bool on_tensor_cores = false;
  int newton_iterations = 1;               // per substep
  bool one_by_one = false;                 // groups without a strain form have no tiles
  std::vector<bool> has_strain_form = {};  // of each group: forces come from strains; none has if this is empty
  std::vector<bool> has_frame = {};        // likewise: bodies are free
  std::vector<bool> has_chambers = {};     // likewise
  bool has_gases = false;                  // in chambers: these groups aren't fused
  std::vector<bool> is_damped = {};        // of each group, by strain rates: likewise
};

struct TilePlan {
  std::vector<Tile> tiles;
  std::vector<Chunk> chunks;
  WorkspaceRows rows;     // the largest of the chunks'
  int steps_at_once = 1;  // substeps of a launch, at most
};

/// Tiles never mix groups. @throws InputError for a rank whose vectors don't fit into shared memory
template <class T>
[[nodiscard]] TilePlan plan_tiles(std::span<const GroupRange> groups, const PlanOptions& options,
                                  const DeviceLimits& limits);

/// Of the arrays of a workspace. The energy-conserving scheme takes points and H twice; strains count them already.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const WorkspaceRows& rows, Integrator integrator);

}  // namespace quartic::cuda
