#include "cuda/batch/tile_plan.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "cuda/batch/steps/step_memory.hpp"
#include "cuda/energy/model_image.hpp"
#include "cuda/energy/strain_image.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

WorkspaceRows operator+(const WorkspaceRows& a, const WorkspaceRows& b) {
  return {a.points + b.points,
          a.vectors + b.vectors,
          a.h + b.h,
          a.system + b.system,
          a.strains + b.strains,
          a.frames + b.frames,
          a.damping + b.damping,
          a.middle_points + b.middle_points};
}

WorkspaceRows larger(const WorkspaceRows& a, const WorkspaceRows& b) {
  return {std::max(a.points, b.points),
          std::max(a.vectors, b.vectors),
          std::max(a.h, b.h),
          std::max(a.system, b.system),
          std::max(a.strains, b.strains),
          std::max(a.frames, b.frames),
          std::max(a.damping, b.damping),
          std::max(a.middle_points, b.middle_points)};
}

template <class T>
void require_shared_memory(int rank, bool has_frame, std::size_t available) {
  const std::size_t needed = step_shared_bytes<T>(rank, false, has_frame ? frame_sums : 0);
  if (needed > available)
    throw InputError("bodies of rank " + std::to_string(rank) + " need " + std::to_string(needed) +
                     " bytes of shared memory, but this device has " + std::to_string(available) +
                     " per block; use a smaller rank, float instead of double, or the backend 'cpu'");
}

bool has_strain_form(const PlanOptions& options, std::size_t group) {
  return !options.has_strain_form.empty() && options.has_strain_form[group];
}

bool has_frame(const PlanOptions& options, std::size_t group) {
  return !options.has_frame.empty() && options.has_frame[group];
}

bool has_chambers(const PlanOptions& options, std::size_t group) {
  return !options.has_chambers.empty() && options.has_chambers[group];
}

bool is_damped(const PlanOptions& options, std::size_t group) {
  return !options.is_damped.empty() && options.is_damped[group];
}

bool has_tiles(const PlanOptions& options, std::size_t group) {
  return !options.one_by_one || has_strain_form(options, group);
}

std::vector<Tile> cut_into_tiles(std::span<const GroupRange> groups, const PlanOptions& options) {
  std::vector<Tile> tiles;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::int64_t first = 0; has_tiles(options, g) && first < groups[g].bodies; first += tile_bodies) {
      Tile tile = {};
      tile.model = static_cast<std::int32_t>(g);
      tile.bodies = static_cast<std::int32_t>(std::min<std::int64_t>(tile_bodies, groups[g].bodies - first));
      tile.first_body = groups[g].first_body + first;
      tiles.push_back(tile);
    }
  return tiles;
}

// By rank, and whether bodies are free.
using FusedShapes = std::map<std::pair<int, bool>, std::optional<FusedShape>>;

// One for all of a rank's groups without a strain form.
template <class T>
FusedShapes fused_shapes(std::span<const GroupRange> groups, const PlanOptions& options, const DeviceLimits& limits) {
  std::map<std::pair<int, bool>, std::vector<std::int64_t>> bodies;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (!has_strain_form(options, g))
      bodies[{static_cast<int>(groups[g].rank), has_frame(options, g)}].push_back(groups[g].bodies);
  const bool implicit = options.integrator == Integrator::newmark || options.integrator == Integrator::backward_euler;
  FusedShapes shapes;
  for (const auto& [kind, counts] : bodies)
    if (options.fusing == Fusing::never || !implicit)
      shapes[kind] = std::nullopt;
    else
      shapes[kind] = fused_shape<T>(kind.first, counts, options.newton_iterations > 1,
                                    {limits.shared_bytes, limits.multiprocessors, options.on_tensor_cores,
                                     options.fusing == Fusing::whenever_possible, kind.second});
  return shapes;
}

// At which H is evaluated together.
int points_of(Integrator integrator) {
  return integrator == Integrator::energy_conserving ? 2 : 1;
}

// As many as keep the largest launch short. All bodies of a rank may be in one.
template <class T>
int steps_at_once(std::span<const GroupRange> groups, const PlanOptions& options, const DeviceLimits& limits) {
  std::map<std::int64_t, double> multiply_adds;  // of a substep, by rank
  for (const GroupRange& group : groups) {
    const auto r = static_cast<double>(group.rank);
    multiply_adds[group.rank] += static_cast<double>(group.bodies) * (r * (r + 1) / 2 + r) * (r + 1) * (r + 2) / 2;
  }
  double most = 0;
  for (const auto& [rank, count] : multiply_adds) most = std::max(most, count);
  most *= options.newton_iterations * (sizeof(T) == 4 ? 1 : limits.float_over_double);
  const double at_once = most_multiply_adds_at_once * limits.multiprocessors / most;
  return static_cast<int>(std::clamp(at_once, 1.0, double{most_steps_at_once}));
}

template <class T>
void add_tile(StepShape& chunk, int rank, bool strains) {
  ++chunk.tiles;
  chunk.rank = std::max(chunk.rank, rank);
  chunk.row_blocks = std::max(chunk.row_blocks, strains ? stiffness_block_count<T>(rank) : row_block_count<T>(rank));
  chunk.strain_blocks = std::max(chunk.strain_blocks, strains ? strain_block_count<T>(rank) : 0);
}

}  // namespace

template <class T>
std::size_t workspace_bytes(const WorkspaceRows& rows, Integrator integrator) {
  const std::int64_t twice = points_of(integrator);
  return static_cast<std::size_t>(twice * (rows.points + rows.h) + rows.vectors + rows.system + rows.strains +
                                  rows.frames + rows.damping + rows.middle_points) *
         tile_bodies * sizeof(T);
}

template <class T>
TilePlan plan_tiles(std::span<const GroupRange> groups, const PlanOptions& options, const DeviceLimits& limits) {
  // One rule for the whole batch: where the systems are has no influence on bits.
  bool in_shared_memory = true;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!has_tiles(options, g)) continue;
    const int rank = static_cast<int>(groups[g].rank);
    require_shared_memory<T>(rank, has_frame(options, g), limits.shared_bytes);
    in_shared_memory &=
        step_shared_bytes<T>(rank, true, has_frame(options, g) ? frame_rows(rank) : 0) <= limits.shared_bytes;
  }
  const FusedShapes fused = fused_shapes<T>(groups, options, limits);
  const bool has_damping = std::ranges::find(options.is_damped, true) != options.is_damped.end();
  const bool has_middle = has_damping && points_of(options.integrator) == 2;

  TilePlan plan{.tiles = cut_into_tiles(groups, options),
                .chunks = {},
                .rows = {},
                .steps_at_once = steps_at_once<T>(groups, options, limits)};
  WorkspaceRows used;
  const auto start_chunk = [&](std::size_t t, std::size_t group, const std::optional<FusedShape>& shape) {
    used = {};
    plan.chunks.push_back({.shape = {.first_tile = static_cast<int>(t),
                                     .multiprocessors = limits.multiprocessors,
                                     .system_in_shared_memory = in_shared_memory,
                                     .has_frame = has_frame(options, group),
                                     .has_chambers = has_chambers(options, group)},
                           .has_strain_form = has_strain_form(options, group),
                           .fused = shape});
  };
  for (std::size_t t = 0; t < plan.tiles.size(); ++t) {
    Tile& tile = plan.tiles[t];
    const auto group = static_cast<std::size_t>(tile.model);
    const int rank = static_cast<int>(groups[group].rank);
    const bool strains = has_strain_form(options, group), free = has_frame(options, group);
    const bool may_fuse =
        !strains && !is_damped(options, group) && !(options.has_gases && has_chambers(options, group));
    const std::optional<FusedShape> shape = may_fuse ? fused.at({rank, free}) : std::nullopt;
    const WorkspaceRows own =
        shape ? WorkspaceRows{}
              : WorkspaceRows{rank + 1,
                              rank,
                              h_row_count(rank),
                              in_shared_memory ? 0 : system_rows(rank),
                              strains ? points_of(options.integrator) * strain_workspace_rows<T>(rank) : 0,
                              free && !in_shared_memory ? frame_rows(rank) : 0,
                              has_damping ? h_row_count(rank) : 0,
                              has_middle ? rank + 1 : 0};
    const std::size_t bytes = workspace_bytes<T>(used + own, options.integrator);
    const bool full = bytes > limits.most_bytes || (bytes > limits.workspace_bytes && !plan.chunks.empty() &&
                                                    plan.chunks.back().shape.tiles >= limits.multiprocessors);
    // A chunk has one evaluator and one kind of bodies, and is fused for one rank, or not fused.
    const auto fits = [&](const Chunk& chunk) {
      return chunk.has_strain_form == strains && chunk.shape.has_frame == free &&
             chunk.shape.has_chambers == has_chambers(options, group) &&
             (chunk.fused ? chunk.shape.rank : 0) == (shape ? rank : 0);
    };
    if (t == 0 || full || !fits(plan.chunks.back())) start_chunk(t, group, shape);
    tile.point_row = used.points, tile.vector_row = used.vectors, tile.h_row = used.h, tile.system_row = used.system;
    tile.strain_row = used.strains, tile.frame_row = used.frames;
    used = used + own;
    plan.rows = larger(plan.rows, used);
    add_tile<T>(plan.chunks.back().shape, rank, strains);
  }
  return plan;
}

template std::size_t workspace_bytes<float>(const WorkspaceRows&, Integrator);
template std::size_t workspace_bytes<double>(const WorkspaceRows&, Integrator);
template TilePlan plan_tiles<float>(std::span<const GroupRange>, const PlanOptions&, const DeviceLimits&);
template TilePlan plan_tiles<double>(std::span<const GroupRange>, const PlanOptions&, const DeviceLimits&);

}  // namespace quartic::cuda
