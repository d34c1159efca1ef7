// An energy for benchmarks of time steps.
#pragma once

#include <cstdint>

#include "quartic/energy.hpp"

namespace quartic::bench {

/// Uncoupled Duffing oscillators plus small coefficients everywhere: what the numbers are doesn't matter to the cost.
inline QuarticEnergy sample_energy(int rank) {
  QuarticEnergy energy{.rank = rank, .coefficients = {}};
  std::uint32_t state = 1;
  for (int a = 0; a <= rank; ++a)
    for (int b = a; b <= rank; ++b)
      for (int c = b; c <= rank; ++c)
        for (int d = c; d <= rank; ++d) {
          state = state * 1664525U + 1013904223U;
          const bool stiffness = a == 0 && b == 0 && c == d && c > 0;
          const bool small = b > 0;
          energy.coefficients.push_back(stiffness ? 200.0 : small ? 1e-3 * (state >> 16) / 65536.0 : 0.0);
        }
  return energy;
}

}  // namespace quartic::bench
