// Newmark and backward Euler for free bodies: the iteration of implicit_step.cpp on
//   a_{n+1} + B^T w' - 2 A(w) v_{n+1} - 1/2 w^T D w + C v_{n+1} + R(q_{n+1}) - f = 0
// with the angular velocity w of core/batch/free_scheme.hpp, which is eliminated from each system first. Two things are
// added: a predictor for the quadratic terms of the first iteration, and a finish, which solves the momentum's equation
// to round-off for the coordinates found: angular momentum is exact after any number of iterations.
#include "core/batch/scheme.hpp"
#include "cpu/batch/implicit_rows.hpp"
#include "cpu/batch/integrators.hpp"

namespace quartic::cpu {

template <class S, class T>
void free_implicit_step(Tile<S>& tile, FrameTile<S>& frame, const StepSettings<T>& s) {
  begin_iteration(tile, s);
  LaneSet open = tile.live(), unfinished = open;
  for (int iteration = 0; iteration < s.newton_iterations; ++iteration) {
    evaluate_residual(tile, s);
    if (iteration == 0)
      frame.predict(tile);
    else
      frame.take_iterate(tile);
    frame.add_inertia(tile, tile.residual);
    if (s.newton_tolerance > 0) {
      const typename Tile<S>::LaneValues squares = tile.squared_norms(tile.residual), torques = frame.squared_torques();
      for (std::size_t l = 0; l < squares.size(); ++l)
        if (implicit_converged(s, squares[l] + torques[l])) open &= ~(LaneSet{1} << l);
    }
    if (open == 0) break;
    frame.eliminate(tile, tile.residual);
    tile.solve(open, tile.h, tile.residual);
    frame.correct(open, tile.residual);
    tile.correct(open, tile.residual);
    move(tile, s);
    frame.finish(tile, open);
    unfinished &= ~open;
  }
  if (unfinished != 0) frame.finish(tile, unfinished);
}

template void free_implicit_step(Tile<LaneSystem<float>>&, FrameTile<LaneSystem<float>>&, const StepSettings<float>&);
template void free_implicit_step(Tile<LaneSystem<double>>&, FrameTile<LaneSystem<double>>&,
                                 const StepSettings<double>&);
template void free_implicit_step(Tile<BodySystem<float>>&, FrameTile<BodySystem<float>>&, const StepSettings<float>&);
template void free_implicit_step(Tile<BodySystem<double>>&, FrameTile<BodySystem<double>>&,
                                 const StepSettings<double>&);

}  // namespace quartic::cpu
