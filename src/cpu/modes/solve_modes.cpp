// The eigensolvers on the CPU, in a file of their own since they take long to compile.
#include "core/modes/solve_modes.hpp"

#include "cpu/modes/block_space.hpp"
#include "cpu/modes/system_solver.hpp"

namespace quartic::cpu {

FoundModes CpuSystemSolver::solve_modes(const ModesOptions& options) {
  CpuBlockSpace space(system_, options.seed);
  return quartic::solve_modes(space, system_, options);
}

}  // namespace quartic::cpu
