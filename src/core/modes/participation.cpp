#include "quartic/participation.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "core/base/number_text.hpp"
#include "core/fem/unit_acceleration.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void check(const DampingRatio& wish) {
  if (!(wish.frequency > 0) || !std::isfinite(wish.frequency) || !(wish.ratio >= 0) || !std::isfinite(wish.ratio))
    throw InputError("a damping ratio of 0 or more at a frequency above 0 is needed, not " +
                     number_text(wish.ratio, 4) + " at " + number_text(wish.frequency, 4) + " Hz");
}

}  // namespace

Matrix participation_factors(const SparseMatrix& mass, MatrixRef modes) {
  if (mass.rows != mass.cols || mass.rows % 3 != 0 || modes.rows() != mass.rows)
    throw InputError("the modes have " + std::to_string(modes.rows()) + " rows, but the mass matrix has " +
                     std::to_string(mass.rows) + "; three per vertex are needed");
  return unit_acceleration(to_matrix(modes), mass);
}

Matrix effective_masses(const Matrix& factors) {
  Matrix masses = factors;
  for (double& value : masses.values) value *= value;
  return masses;
}

// 2 zeta = alpha / omega + beta omega at both.
RayleighDamping rayleigh_damping(const DampingRatio& a, const DampingRatio& b) {
  check(a);
  check(b);
  if (a.frequency == b.frequency)
    throw InputError("two damping ratios need two frequencies; both are at " + number_text(a.frequency, 4) + " Hz");
  const double wa = 2 * std::numbers::pi * a.frequency, wb = 2 * std::numbers::pi * b.frequency;
  const RayleighDamping damping{.mass = 2 * wa * wb * (a.ratio * wb - b.ratio * wa) / (wb * wb - wa * wa),
                                .stiffness = 2 * (b.ratio * wb - a.ratio * wa) / (wb * wb - wa * wa)};
  if (damping.mass < 0 || damping.stiffness < 0)
    throw InputError("no Rayleigh damping has the ratios " + number_text(a.ratio, 4) + " at " +
                     number_text(a.frequency, 4) + " Hz and " + number_text(b.ratio, 4) + " at " +
                     number_text(b.frequency, 4) +
                     " Hz: between two frequencies the ratio changes by their quotient "
                     "at most");
  return damping;
}

double damping_ratio(const RayleighDamping& damping, double frequency) {
  if (!(frequency > 0)) throw InputError("a damping ratio belongs to a frequency above 0");
  const double omega = 2 * std::numbers::pi * frequency;
  return damping.mass / (2 * omega) + damping.stiffness * omega / 2;
}

}  // namespace quartic
