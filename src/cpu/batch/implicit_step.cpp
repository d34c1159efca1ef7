// Implicit Newmark as in the 2005 paper, Appendix C: Newton iterations on
//   residual = a_{n+1} + C v_{n+1} + R(q_{n+1}) - f,   C = alpha I + beta K(q_{n+1}),
// from q_{n+1} = q_n, with the system matrix A = (a1 + a4 alpha) I + (1 + a4 beta) K. The unknown is the increment
// d = q_{n+1} - q_n, so that velocities don't come from differences of rounded positions.
#include "core/batch/scheme.hpp"
#include "cpu/batch/integrators.hpp"

namespace quartic::cpu {
namespace {

// The state after the increment.
template <class S, class T>
void move(Tile<S>& tile, const StepSettings<T>& s) {
  tile.for_each_value(tile.rank(), [&](auto n, int) {
    const RowState<T> next = implicit_state(s, {tile.q[n], tile.velocity[n], tile.acceleration[n]}, tile.increment[n]);
    tile.next_q[n] = next.q;
    tile.next_velocity[n] = next.velocity;
    tile.next_acceleration[n] = next.acceleration;
  });
}

// Residual and stiffness there.
template <class S, class T>
void evaluate_residual(Tile<S>& tile, const StepSettings<T>& s) {
  move(tile, s);
  tile.evaluate(tile.next_q, tile.h);
  tile.for_each_value(tile.rank(), [&](auto n, int l) {
    tile.argument[n] = tile.rayleigh_stiffness[l] * tile.next_velocity[n];  // C v = alpha v + K (beta v)
  });
  tile.apply(1, tile.next_q, tile.h, tile.argument, tile.product);
  tile.for_each_value(tile.rank(), [&](auto n, int l) {
    tile.residual[n] = implicit_residual(tile.next_acceleration[n], tile.rayleigh_mass[l], tile.next_velocity[n],
                                         tile.product[n], tile.end_force[n]);
  });
}

}  // namespace

template <class S, class T>
void implicit_step(Tile<S>& tile, const StepSettings<T>& s) {
  const std::int64_t size = tile.size();
  for (std::int64_t n = 0; n < size; ++n) tile.increment[n] = 0;
  for (int l = 0; l < tile.lanes; ++l) {
    const SystemScales<T> system = implicit_system(s, tile.rayleigh_mass[l], tile.rayleigh_stiffness[l]);
    tile.scale[l] = system.stiffness;
    tile.diagonal[l] = system.diagonal;
  }
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
