// The discrete gradient: with d = q_{n+1} - q_n,
//   (v_{n+1} - v_n) / dt + mean R + C d / dt = mean f,   d / dt = (v_n + v_{n+1}) / 2,   C = alpha I + beta mean K,
// where the means are taken over the segment q_n + s d. R is cubic, so two Gauss points give mean R exactly, and
// mean R . d = V(q_{n+1}) - V(q_n): undamped, the energy is constant but for round-off. The same points give mean K
// (so mean K d = R(q_{n+1}) - R(q_n)) and the derivative of mean R, the mean of s K.
//
// The stored acceleration is the step's mean one, (v_{n+1} - v_n) / dt.
#include "core/batch/scheme.hpp"
#include "cpu/batch/conserving_rows.hpp"
#include "cpu/batch/integrators.hpp"

namespace quartic::cpu {
template <class S, class T>
void energy_conserving_step(Tile<S>& tile, const StepSettings<T>& s) {
  const std::int64_t size = tile.size();
  for (std::int64_t n = 0; n < size; ++n) tile.increment[n] = 0;
  tile.drive_increment();
  LaneSet open = tile.live();
  typename Tile<S>::LaneValues last = {};
  for (int iteration = 0; iteration < energy_conserving_iterations; ++iteration) {
    evaluate_mean_residual(tile, s);
    const typename Tile<S>::LaneValues squares = tile.squared_norms(tile.residual);
    const typename Tile<S>::LaneValues scales = squared_scales(tile, s);
    for (std::size_t l = 0; l < squares.size(); ++l)
      if (conserving_converged(squares[l], scales[l], iteration == 0, last[l])) open &= ~(LaneSet{1} << l);
    last = squares;
    if (open == 0) break;
    form_mean_system(tile, s);
    tile.solve(open, tile.h, tile.residual);
    tile.correct(open, tile.residual);
  }
  tile.flag(open, BodyFlags::not_converged);
  move_to_end(tile, s);
}

template void energy_conserving_step(Tile<LaneSystem<float>>&, const StepSettings<float>&);
template void energy_conserving_step(Tile<LaneSystem<double>>&, const StepSettings<double>&);
template void energy_conserving_step(Tile<BodySystem<float>>&, const StepSettings<float>&);
template void energy_conserving_step(Tile<BodySystem<double>>&, const StepSettings<double>&);

}  // namespace quartic::cpu
