// The discrete gradient of energy_conserving_step.cpp for free bodies. With p = q' + B(q)^T w and pi = J(q) w + B(q)
// q',
//   (p1 - p0) / h - 1/2 w0^T D(qm) w1 - 1/2 (A(w0) q'1 + A(w1) q'0) + mean R + C d / h = mean f
//   pi1 - pi0 + h wm x (pi0 + pi1) / 2 = 0                          qm, wm: means of both ends
// conserves energy, because the inertia is quadratic in q, and angular momentum. The second is solved to round-off in
// each iteration. The matrix leaves gyroscopic terms out, so that it stays symmetric: the iteration converges linearly,
// by about |w| h.
#include "core/batch/scheme.hpp"
#include "cpu/batch/conserving_rows.hpp"
#include "cpu/batch/integrators.hpp"

namespace quartic::cpu {
namespace {

// The square of the size of the terms that the residual is the sum of. @param sizes of the inertia's
template <class S, class T>
typename Tile<S>::LaneValues squared_sizes(Tile<S>& tile, const StepSettings<T>& s, const T* sizes) {
  tile.for_each_value(tile.rank(), [&](auto n, int) {
    tile.argument[n] = conserving_term(s, tile.increment[n], tile.velocity[n], load_of(tile, n)) + sizes[n];
  });
  return tile.squared_norms(tile.argument);
}

}  // namespace

template <class S, class T>
void free_energy_conserving_step(Tile<S>& tile, FrameTile<S>& frame, const StepSettings<T>& s) {
  frame.keep_start(tile);
  tile.for_each_value(tile.rank(), [&](auto n, int) { tile.increment[n] = s.dt * tile.velocity[n]; });
  T* sizes = tile.next_acceleration;  // free until the end
  LaneSet open = tile.live();
  typename Tile<S>::LaneValues last = {};
  for (int iteration = 0; iteration < free_conserving_iterations; ++iteration) {
    move_to_end(tile, s);
    frame.finish(tile, open);
    evaluate_mean_residual(tile, s);
    frame.add_mean_inertia(tile.residual, sizes);
    const typename Tile<S>::LaneValues squares = tile.squared_norms(tile.residual);
    const typename Tile<S>::LaneValues terms = squared_sizes(tile, s, sizes);
    for (std::size_t l = 0; l < squares.size(); ++l)
      if (free_converged(squares[l], terms[l], iteration == 0, last[l])) open &= ~(LaneSet{1} << l);
    last = squares;
    if (open == 0) break;
    form_mean_system(tile, s);
    frame.eliminate(tile, tile.residual);
    tile.solve(open, tile.h, tile.residual);
    tile.correct(open, tile.residual);
  }
  tile.flag(open, BodyFlags::not_converged);
  move_to_end(tile, s);
  if (open != 0) frame.finish(tile, open);
}

template void free_energy_conserving_step(Tile<LaneSystem<float>>&, FrameTile<LaneSystem<float>>&,
                                          const StepSettings<float>&);
template void free_energy_conserving_step(Tile<LaneSystem<double>>&, FrameTile<LaneSystem<double>>&,
                                          const StepSettings<double>&);
template void free_energy_conserving_step(Tile<BodySystem<float>>&, FrameTile<BodySystem<float>>&,
                                          const StepSettings<float>&);
template void free_energy_conserving_step(Tile<BodySystem<double>>&, FrameTile<BodySystem<double>>&,
                                          const StepSettings<double>&);

}  // namespace quartic::cpu
