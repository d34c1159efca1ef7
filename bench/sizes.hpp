// Sizes of the benchmarks, in one place.
#pragma once

namespace quartic::bench {

/// Ranks of the reduced models.
inline constexpr int ranks[] = {12, 20, 30, 40};

/// The body whose energy is reduced: 4000 bricks, 108,000 quadrature points.
inline constexpr int energy_cells_x = 40, energy_cells_y = 10, energy_cells_z = 10;

/// Order of the square dsyrk that stands for the machine's rate.
inline constexpr int large_rank_k_size = 2048;

}  // namespace quartic::bench
