// States of a reduced body as loads bring them about.
//
// Forces are those of its own modes: f = sum a_i v_i with v_i the eigenvectors of the stiffness at rest (the reduced
// mass is the unit matrix), a_i = omega_i z_i with normal numbers z, one of them doubled, so that each mode takes a
// similar share of the energy.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "core/algebra/dense.hpp"
#include "core/algebra/normal_numbers.hpp"
#include "core/energy/quartic_polynomial.hpp"
#include "core/relaxation/modal_loads.hpp"
#include "core/relaxation/relaxation_check.hpp"
#include "quartic/error.hpp"
#include "quartic/relaxation.hpp"
#include "quartic/statics.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array<double, 4> natural_amplitudes = {0.1, 0.2, 0.4, 0.8};
constexpr Index natural_modes = 8;
constexpr std::uint64_t natural_seed = 3;
// They are samples: what Newton's method gains behind this changes nothing.
constexpr double states_tolerance = 1e-4;

int count_of(const NaturalStatesOptions& options, int rank) {
  if (options.states < 0) throw InputError("the number of natural states must be at least 1");
  const int wanted = options.states > 0 ? options.states : std::max(40, 5 * rank / 2);
  return static_cast<int>(std::min<std::int64_t>(wanted, pair_count(rank)));
}

}  // namespace

Matrix natural_states(std::span<const double> vertices, MatrixRef basis, const QuarticEnergy& energy,
                      const NaturalStatesOptions& options) {
  check(energy);
  if (basis.cols() != energy.rank || basis.rows() != std::ssize(vertices))
    throw InputError("the basis must have three rows per vertex and as many columns as the energy's rank");
  const int count = count_of(options, energy.rank);
  const ModalLoads loads(vertices, basis, energy, natural_modes);
  NormalNumbers random(natural_seed);
  MatrixXd forces(energy.rank, count);
  for (int s = 0; s < count; ++s) {
    VectorXd z = random.vector(loads.modes());
    z[random.index(loads.modes())] *= 2;
    forces.col(s) = loads.force(z, natural_amplitudes[static_cast<std::size_t>(s) % natural_amplitudes.size()]);
  }
  StaticsOptions statics{.tolerance = states_tolerance};
  if (options.progress)
    statics.progress = [&](std::string_view, double fraction) { options.progress("natural states", fraction); };
  const std::vector<Equilibrium> ends = reduced_equilibria(energy, forces, statics);
  Matrix states(energy.rank, count);
  for (int s = 0; s < count; ++s) std::ranges::copy(ends[static_cast<std::size_t>(s)].solution, states.col(s).begin());
  return states;
}

}  // namespace quartic
