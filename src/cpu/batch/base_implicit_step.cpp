// Newmark and backward Euler for bodies on bases of prescribed motion: the iteration of implicit_step.cpp on
//   a_{n+1} + B^T w' - 2 A(w) v_{n+1} - 1/2 w^T D w + s a + C v_{n+1} + R(q_{n+1}) - f = 0
// with the base's motion at the end of the step. The matrix is that of held bodies, which stays symmetric: as for free
// bodies, the first iteration takes the inertia forces at a predicted end of the step, so that it is of the scheme's
// order by itself, and further ones take them at the iterate.
#include "core/batch/scheme.hpp"
#include "cpu/batch/implicit_rows.hpp"
#include "cpu/batch/integrators.hpp"

namespace quartic::cpu {

template <class S, class T>
void base_implicit_step(Tile<S>& tile, BaseTile<S>& base, const StepSettings<T>& s, bool predict_at_start) {
  begin_iteration(tile, s);
  LaneSet open = tile.live();
  for (int iteration = 0; iteration < s.newton_iterations; ++iteration) {
    evaluate_residual(tile, s);
    if (iteration == 0)
      base.predict(tile, s.dt, predict_at_start);
    else
      base.take_iterate(tile);
    base.add_inertia(tile.residual);
    if (s.newton_tolerance > 0) {
      const typename Tile<S>::LaneValues squares = tile.squared_norms(tile.residual);
      for (std::size_t l = 0; l < squares.size(); ++l)
        if (implicit_converged(s, squares[l])) open &= ~(LaneSet{1} << l);
    }
    if (open == 0) break;
    tile.solve(open, tile.h, tile.residual);
    tile.correct(open, tile.residual);
  }
  move(tile, s);
}

template void base_implicit_step(Tile<LaneSystem<float>>&, BaseTile<LaneSystem<float>>&, const StepSettings<float>&,
                                 bool);
template void base_implicit_step(Tile<LaneSystem<double>>&, BaseTile<LaneSystem<double>>&, const StepSettings<double>&,
                                 bool);
template void base_implicit_step(Tile<BodySystem<float>>&, BaseTile<BodySystem<float>>&, const StepSettings<float>&,
                                 bool);
template void base_implicit_step(Tile<BodySystem<double>>&, BaseTile<BodySystem<double>>&, const StepSettings<double>&,
                                 bool);

}  // namespace quartic::cpu
