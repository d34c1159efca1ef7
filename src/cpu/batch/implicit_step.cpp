// Implicit Newmark as in the 2005 paper, Appendix C: Newton iterations on
//   residual = a_{n+1} + C v_{n+1} + R(q_{n+1}) - f,   C = alpha I + beta K(q_{n+1}),
// from q_{n+1} = q_n, with the system matrix A = (a1 + a4 alpha) I + (1 + a4 beta) K. The unknown is the increment
// d = q_{n+1} - q_n, so that velocities don't come from differences of rounded positions.
#include "core/batch/scheme.hpp"
#include "cpu/batch/implicit_rows.hpp"
#include "cpu/batch/integrators.hpp"

namespace quartic::cpu {
template <class S, class T>
void implicit_step(Tile<S>& tile, const StepSettings<T>& s) {
  begin_iteration(tile, s);
  LaneSet open = tile.live();
  for (int iteration = 0; iteration < s.newton_iterations; ++iteration) {
    evaluate_residual(tile, s);
    if (s.newton_tolerance > 0) {
      const typename Tile<S>::LaneValues squares = tile.squared_norms(tile.residual);
      for (int l = 0; l < tile.lanes; ++l)
        if (implicit_converged(s, squares[static_cast<std::size_t>(l)])) open &= ~(LaneSet{1} << l);
    }
    if (open == 0) break;
    tile.solve(open, tile.h, tile.residual);
    tile.correct(open, tile.residual);
  }
  move(tile, s);
}

template void implicit_step(Tile<LaneSystem<float>>&, const StepSettings<float>&);
template void implicit_step(Tile<LaneSystem<double>>&, const StepSettings<double>&);
template void implicit_step(Tile<BodySystem<float>>&, const StepSettings<float>&);
template void implicit_step(Tile<BodySystem<double>>&, const StepSettings<double>&);

}  // namespace quartic::cpu
